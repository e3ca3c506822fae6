"""Templates of the four feature functions for frames of speech: a column of codes, a column of phones."""

from eigenparse.features.sequence import ChainFeatures, chain_features

CODE, PHONE = "code", "phone"
FAR = (2, 4, 8)


def figure_six(*, neighbours: bool = True, place: bool = True) -> ChainFeatures:
    """The printed templates [stratos-2013, figure 6], or without np and pp, or without pos."""
    phi = [f"{PHONE}[1]&{CODE}", f"{PHONE}[1]", CODE]
    psi = [f"{PHONE}[-1]&{CODE}[-1]", f"{PHONE}[-1]", f"{CODE}[-1]"]
    if neighbours:
        phi.append(f"next({PHONE})")
        psi.append(f"previous({PHONE})")
    upsilon = [*psi, f"place({PHONE})"] if place else psi
    return chain_features({"phi": phi, "psi": psi, "xi": [CODE], "upsilon": upsilon}, label=PHONE)


def duration_features(far: tuple[int, ...] = FAR) -> ChainFeatures:
    """Phones some frames ahead and behind, np, pp and pos: they tell how long the phone has lasted and will last.

    Codes of neighbours are left out: a thousand sparse features drown the few that matter.
    """
    phi = [f"{PHONE}[1]", f"next({PHONE})", *(f"{PHONE}[{k}]" for k in far)]
    psi = [f"{PHONE}[-1]", f"previous({PHONE})", *(f"{PHONE}[-{k}]" for k in far)]
    upsilon = [*psi, *phi, f"place({PHONE})"]
    return chain_features({"phi": phi, "psi": psi, "xi": [CODE], "upsilon": upsilon}, label=PHONE)
