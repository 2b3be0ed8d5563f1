"""The words that need no explanation: which of two states means present."""

Pair = tuple[str, str]

VOCABULARIES: tuple[Pair, ...] = (
    ("0", "1"),
    ("false", "true"),
    ("no", "yes"),
    ("n", "y"),
    ("f", "t"),
    ("absent", "present"),
)
"""The pairs of values that need no explanation, (absent, present)."""

ACCEPTED = ", ".join("/".join(pair) for pair in VOCABULARIES)

_PAIR_OF = {word: pair for pair in VOCABULARIES for word in pair}


def vocabulary_of(key: str) -> Pair | None:
    """Return the accepted pair that a word in lower case belongs to."""
    return _PAIR_OF.get(key)


def place_of_present(labels: Pair) -> int | None:
    """Return which of two labels is the accepted word for present; nothing if they are no pair."""
    first, second = (label.strip().casefold() for label in labels)
    pair = vocabulary_of(first)
    if pair is None or first == second or second not in pair:
        return None
    return 0 if first == pair[1] else 1
