"""The four feature functions of a refinement HMM as sets of templates [stratos-2013, section 5.1, figure 6].

phi sees the future from the token on, psi the past before it, xi the present token alone, upsilon
everything but the present token.  A template that breaks its window is refused, because the
moments would then be those of no refinement HMM.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eigenparse.errors import FormatError, OptionError
from eigenparse.features.tagger.templates import RUN_FUNCTIONS, Atom, Template, parse_template

ROLES = ("phi", "psi", "xi", "upsilon")


@dataclass(frozen=True, slots=True)
class ChainFeatures:
    """Templates of future, past, present and destiny."""

    phi: tuple[Template, ...]
    psi: tuple[Template, ...]
    xi: tuple[Template, ...]
    upsilon: tuple[Template, ...]


def chain_features(roles: Mapping[str, Sequence[str]], *, label: str) -> ChainFeatures:
    """Parse and check the templates of the four roles; ``label`` names the label column."""
    sets: dict[str, tuple[Template, ...]] = {}
    for role in ROLES:
        templates = tuple(parse_template(text) for text in roles.get(role, ()))
        if not templates:
            raise OptionError(f"no template for {role}; a refinement HMM needs all of {', '.join(ROLES)}")
        for template in templates:
            for atom in template.atoms:
                _check_window(role, template, atom, label)
        sets[role] = templates
    return ChainFeatures(**sets)


def _check_window(role: str, template: Template, atom: Atom, label: str) -> None:
    """Refuse what would make the views dependent given label and state."""
    is_label, k = atom.column == label, atom.offset
    runs = atom.function in RUN_FUNCTIONS
    if runs and not is_label:
        allowed = False
    elif runs:
        allowed = k == 0 and (atom.function, role) in RUN_ROLES
    elif role == "phi":
        allowed = k >= 0
    elif role == "psi":
        allowed = k < 0 or (is_label and k == 0)
    elif role == "xi":
        allowed = k == 0
    else:
        allowed = is_label or k != 0
    if not allowed:
        raise OptionError(
            f"template {template.text!r} looks where {role} must not: phi from the token on, psi before it, "
            "xi at the token only, upsilon anywhere but at the token"
        )


RUN_ROLES = {
    ("next", "phi"),
    ("previous", "psi"),
    ("next", "upsilon"),
    ("previous", "upsilon"),
    ("place", "upsilon"),
}


def default_features(columns: Sequence[str], label: str) -> ChainFeatures:
    """Templates for text: the columns read (word first, tags after) and the label column."""
    word, tags = columns[0], list(columns[1:])
    see = [f"lower({word})", *(tags or [f"suffix3({word})", f"shape({word})"])]
    main = tags[0] if tags else f"suffix3({word})"
    future = [f"{name}[{k}]" for k in (0, 1) for name in see]
    future += [f"{label}[1]", f"{label}[1]&{label}[2]", f"{label}[1]&{main}[1]", f"{label}[1]&{main}"]
    past = [f"{name}[-1]" for name in see]
    past += [f"{label}[-1]", f"{label}[-1]&{label}[-2]", f"{label}[-1]&{main}[-1]", f"{main}[-2]"]
    present = [
        *see,
        f"{word}",
        *([f"{word}&{tags[0]}"] if tags else [f"suffix2({word})", f"prefix2({word})"]),
    ]
    destiny = past + [text for text in future if f"[{1}]" in text and not text.endswith(f"&{main}")]
    return chain_features({"phi": future, "psi": past, "xi": present, "upsilon": destiny}, label=label)


def read_features(lines: Iterable[str], *, label: str, source: str = "templates") -> ChainFeatures:
    """Templates from lines ``role: template``; empty lines and lines beginning with # are skipped."""
    roles: dict[str, list[str]] = {role: [] for role in ROLES}
    for number, text in enumerate(lines, start=1):
        stripped = text.strip()
        if not stripped or stripped.startswith("#"):
            continue
        role, colon, template = (part.strip() for part in stripped.partition(":"))
        if not colon or role not in ROLES:
            raise FormatError(
                f"{stripped!r} does not begin with a role",
                source=source,
                line=number,
                remedy=f"write one of {', '.join(ROLES)}, a colon and a template",
            )
        roles[role].append(template)
    return chain_features(dict(roles.items()), label=label)
