"""The words that are accepted for absent and present: the one table of them.

A pair is in the table if the two words are opposites in every table, whatever the column is
about: the words of English programs and laboratories, and what spreadsheets and questionnaires
write for no/yes and false/true in other languages. Pairs such as female/male, and letters that
also abbreviate other things, are not. A word may be in several pairs (`no` with `yes` and `si`),
but it never means absent in one and present in another.
"""

from collections.abc import Collection

Pair = tuple[str, str]

PAIRS: tuple[Pair, ...] = (
    ("0", "1"),
    ("false", "true"),
    ("f", "t"),
    ("no", "yes"),
    ("n", "y"),
    ("absent", "present"),
    ("negative", "positive"),
    ("neg", "pos"),
    ("-", "+"),
    ("off", "on"),
    # German
    ("nein", "ja"),
    ("n", "j"),
    ("falsch", "wahr"),
    ("negativ", "positiv"),
    # Dutch
    ("nee", "ja"),
    ("onwaar", "waar"),
    # French
    ("non", "oui"),
    ("faux", "vrai"),
    # Spanish
    ("no", "sí"),
    ("no", "si"),
    ("falso", "verdadero"),
    # Italian
    ("no", "sì"),
    ("falso", "vero"),
    # Portuguese
    ("não", "sim"),
    ("nao", "sim"),
    ("falso", "verdadeiro"),
)
"""The accepted pairs of values, (absent, present), in lower case."""

_WORDS = frozenset(word for pair in PAIRS for word in pair)
_PRESENT = frozenset(present for _, present in PAIRS)


def pair_of(words: Collection[str]) -> Pair | None:
    """Return the first accepted pair that has all of these lower-case words; None without one."""
    found = set(words)
    return next((pair for pair in PAIRS if found <= set(pair)), None) if found else None


def is_accepted(word: str) -> bool:
    """Return whether a lower-case word is one of an accepted pair."""
    return word in _WORDS


def means_present(word: str) -> bool:
    """Return whether a lower-case word means present in the pairs that have it."""
    return word in _PRESENT


def place_of_present(labels: Pair) -> int | None:
    """Return which of two labels means present; None if they are not an accepted pair."""
    first, second = (label.strip().casefold() for label in labels)
    if first == second or pair_of((first, second)) is None:
        return None
    return 0 if means_present(first) else 1
