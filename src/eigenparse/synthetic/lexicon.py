"""The words of the synthetic English: word classes in, weighted words per (tag, state) out.

Every list is ordered from common to rare words.  A word may be in several lists, which makes it
ambiguous.  Nouns and adjectives that may follow ``a`` begin with a consonant.
"""

from collections.abc import Iterable

Lexicon = dict[tuple[str, str], dict[str, float]]

# Noun classes: people, objects, ideas, places, instruments, features of people, parts of
# objects, times.
NOUNS = {
    "h": """woman:women man:men child:children boy girl friend teacher doctor student neighbour farmer
        driver lawyer sister brother father mother writer painter soldier waiter baker nurse
        judge king queen guest stranger singer sailor cook guide daughter son player dancer
        manager worker tourist scientist""",
    "o": """book box door table car letter picture house window bottle chair stone bag coat plate cup
        bread fish:fish ball lamp watch:watches paper ring cake branch:branches basket boat shirt
        wall machine fence shoe saw light can dish:dishes bench:benches bell newspaper blanket
        ticket hat suitcase carpet plan""",
    "e": """story:stories plan promise fact dream claim question report rumour talk hope theory:theories
        visit problem joke debate walk play decision belief warning lesson work rule""",
    "l": """city:cities village park garden kitchen school hospital street market forest river station
        bridge beach:beaches library:libraries museum hotel field hall room castle church:churches
        tower valley harbour""",
    "i": "knife hammer key telescope brush spoon fork camera rope pen sponge needle drill saw",
    "f": "beard scar smile moustache limp tattoo haircut voice cough squint",
    "q": "lid handle label lock stripe pocket button hole cover crack",
    "t": "war morning night summer party:parties wedding meeting weekend holiday storm concert trial",
}
FEATURES_PLURAL = "eyes hands teeth freckles glasses feet cheeks shoulders"

# Verb classes by what they take: nothing, an object, an object and an instrument, two objects,
# an object and a place, a direction, an object and a direction, a clause, a topic, an infinitive.
VERBS = {
    "i": """sleep:slept:slept laugh wait smile arrive cry work sing:sang:sung rest dance stay cough
        shout pray sit:sat:sat walk play fall:fell:fallen vanish stand:stood:stood complain watch""",
    "t": """see:saw:seen like love help meet:met:met watch find:found:found visit want need follow
        hear:heard:heard remember buy:bought:bought know:knew:known lose:lost:lost carry paint admire
        miss protect praise ignore thank fear sell:sold:sold hide:hid:hidden describe
        draw:drew:drawn hate plan:planned:planned""",
    "u": """open cut:cut:cut break:broke:broken clean fix hit:hit:hit wash tie examine lock scratch poke
        repair stir:stirred:stirred measure""",
    "d": "give:gave:given show:showed:shown send:sent:sent offer hand tell:told:told lend:lent:lent promise",
    "l": """put:put:put place leave:left:left hang:hung:hung keep:kept:kept store drop:dropped:dropped
        lay:laid:laid""",
    "m": """go:went:gone run:ran:run walk drive:drove:driven travel come:came:come swim:swam:swum
        ride:rode:ridden hurry climb march crawl return""",
    "g": "take:took:taken bring:brought:brought push drag:dragged:dragged throw:threw:thrown move carry pull",
    "c": """say:said:said think:thought:thought know:knew:known believe hope claim hear:heard:heard
        fear forget:forgot:forgotten notice dream guess doubt prove see:saw:seen""",
    "r": "talk laugh think:thought:thought argue ask dream worry complain learn read:read:read",
    "w": """want try hope need plan:planned:planned decide refuse promise begin:began:begun love
        forget:forgot:forgotten""",
}

ADJECTIVES = {
    "h": """young tall poor happy clever rich famous strange kind tired brave quiet lonely
        proud sad lazy gentle rude shy hungry""",
    "o": """red heavy small big wooden green broken cheap round dirty long blue thin bright sharp
        strange new plastic white black yellow brown huge clean light""",
    "e": """strange true long secret simple famous serious bad good recent terrible difficult funny
        sudden new common""",
    "l": "small quiet big dark famous crowded distant beautiful busy new peaceful remote large",
    "p": """happy tired ready strange wrong quiet late angry clear busy useful ill dangerous safe beautiful
        sad hungry alone cold famous""",
    "a": "afraid proud full fond tired aware jealous certain",
}

ADVERBS = {
    "ma": """quickly slowly carefully quietly well loudly badly again together happily alone early
        politely gently calmly suddenly""",
    "ti": "yesterday today now then tomorrow recently early later",
    "fr": "often never always usually sometimes rarely still finally",
    "de": "very too quite rather so really",
    "no": "not never",
}

# Prepositions by the kind of phrase that they open; the same word opens several kinds.
PREPOSITIONS = {
    "of": "of",
    "pl": "in at near behind under on beside above outside",
    "go": "to into towards through from across",
    "wi": "with",
    "ha": "with without",
    "ti": "after during before since until in",
    "ab": "about on of",
    "fo": "for",
    "to": "to",
    "by": "by",
    "th": "that",
    "su": "because when although if after before while since",
}

CLOSED = {
    ("DT", "s"): "the:12 a:9 this:2 that:2 every:1.5 each:0.7",
    ("DT", "p"): "the:12 some:3 these:2 those:2 many:1.5 all:1.5",
    ("PRP$", "x"): "his:4 her:4 their:3 my:3 our:2 its:1",
    ("PRP", "s"): "he:5 she:5 it:3",
    ("PRP", "p"): "they:5 we:3 you:2",
    ("PRP", "o"): "him:4 her:4 it:5 them:5 us:2 me:3 you:2",
    ("CD", "x"): "two:5 three:4 four:2 ten:1 five:1.5 seven:0.5",
    ("MD", "x"): "will:5 can:4 must:2 should:2 may:2 might:1 could:2",
    ("TO", "x"): "to:1",
    ("CC", "x"): "and:8 or:2",
    ("CC", "c"): "and:6 but:4",
    ("WP", "h"): "who:1",
    ("WDT", "h"): "that:1",
    ("WDT", "o"): "that:1 which:1",
    ("NNP", "h"): "Mary:5 John:5 Anna:3 Peter:3 Tom:2 Sarah:2 Paul:2 Lucy:2 David:2 Emma:1 Henry:1 Alice:1",
    ("NNP", "l"): "London:4 Paris:4 Rome:2 Boston:2 Berlin:2 Dublin:1 Madrid:1 Oxford:1",
    ("NNP", "t"): "Monday:2 Friday:2 Sunday:2 Christmas:3 March:1 June:1",
    ("VBZ", "b"): "is:1",
    ("VBP", "b"): "are:1",
    ("VB", "b"): "be:1",
    ("VBD", "bs"): "was:1",
    ("VBD", "bp"): "were:1",
    (".", "x"): ".:1",
    (".", "q"): "?:1",
    (",", "x"): ",:1",
}


def ranked(words: Iterable[str]) -> dict[str, float]:
    """Weights that fall with the rank, as word frequencies do."""
    return {word: 1.0 / (rank + 3) for rank, word in enumerate(words)}


def with_s(stem: str) -> str:
    """The form in -s of a noun or verb."""
    if stem.endswith(("s", "x", "ch", "sh", "o")):
        return stem + "es"
    if stem.endswith("y") and stem[-2] not in "aeiou":
        return stem[:-1] + "ies"
    return stem + "s"


def with_ed(stem: str) -> str:
    """The regular past of a verb."""
    if stem.endswith("e"):
        return stem + "d"
    if stem.endswith("y") and stem[-2] not in "aeiou":
        return stem[:-1] + "ied"
    return stem + "ed"


def _nouns(lexicon: Lexicon) -> None:
    for state, text in NOUNS.items():
        pairs = [entry.split(":") for entry in text.split()]
        lexicon["NN", state] = ranked(pair[0] for pair in pairs)
        lexicon["NNS", state] = ranked(pair[1] if len(pair) > 1 else with_s(pair[0]) for pair in pairs)
    lexicon["NNS", "f"] = ranked(FEATURES_PLURAL.split())


def _verbs(lexicon: Lexicon) -> None:
    for state, text in VERBS.items():
        forms = [entry.split(":") for entry in text.split()]
        base = [form[0] for form in forms]
        lexicon["VB", state] = lexicon["VBP", state] = ranked(base)
        lexicon["VBZ", state] = ranked(with_s(stem) for stem in base)
        lexicon["VBD", state] = ranked(f[1] if len(f) > 1 else with_ed(f[0]) for f in forms)
        lexicon["VBN", state] = ranked(f[2] if len(f) > 1 else with_ed(f[0]) for f in forms)


def english_lexicon() -> Lexicon:
    """Weighted words of every (tag, state)."""
    lexicon: Lexicon = {}
    _nouns(lexicon)
    _verbs(lexicon)
    for tag, classes in (("JJ", ADJECTIVES), ("RB", ADVERBS), ("IN", PREPOSITIONS)):
        for state, text in classes.items():
            lexicon[tag, state] = ranked(text.split())
    for key, text in CLOSED.items():
        pairs = [entry.rsplit(":", 1) for entry in text.split()]
        lexicon[key] = {word: float(weight) for word, weight in pairs}
    return lexicon
