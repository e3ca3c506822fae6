"""Templates of the four feature functions for frames of speech: a column of codes, a column of phones."""

from eigenparse.features.tagger.sequence import ChainFeatures, chain_features

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
    """The templates of figure 6, and the phones some frames before and after, alone and in pairs.

    They tell how long the phone has lasted and will last, and what it comes from and goes to.
    """
    ahead = [f"{PHONE}[{k}]" for k in far] + [f"next({PHONE})&{PHONE}[{k}]" for k in far]
    behind = [f"{PHONE}[-{k}]" for k in far] + [f"previous({PHONE})&{PHONE}[-{k}]" for k in far]
    phi = [f"{PHONE}[1]", f"next({PHONE})", f"{PHONE}[1]&{CODE}", CODE, *ahead]
    psi = [f"{PHONE}[-1]", f"previous({PHONE})", f"{PHONE}[-1]&{CODE}[-1]", f"{CODE}[-1]", *behind]
    around = [f"{PHONE}[-{k}]&{PHONE}[{j}]" for k in far for j in far]
    upsilon = [*psi, f"{PHONE}[1]", f"next({PHONE})", f"{CODE}[1]", *ahead, f"place({PHONE})", *around]
    return chain_features({"phi": phi, "psi": psi, "xi": [CODE], "upsilon": upsilon}, label=PHONE)
