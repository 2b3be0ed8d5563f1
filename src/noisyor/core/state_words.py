"""The words that are accepted for absent and present."""

Pair = tuple[str, str]

VOCABULARIES: tuple[Pair, ...] = (
    ("0", "1"),
    ("false", "true"),
    ("no", "yes"),
    ("n", "y"),
    ("f", "t"),
    ("absent", "present"),
)
"""The accepted pairs of values, (absent, present)."""

ACCEPTED = ", ".join("/".join(pair) for pair in VOCABULARIES)

_PAIR_OF = {word: pair for pair in VOCABULARIES for word in pair}


def vocabulary_of(key: str) -> Pair | None:
    """Return the accepted pair that contains a lower-case word; None if there is none."""
    return _PAIR_OF.get(key)


def place_of_present(labels: Pair) -> int | None:
    """Return which of two labels means present; None if they are not an accepted pair."""
    first, second = (label.strip().casefold() for label in labels)
    pair = vocabulary_of(first)
    if pair is None or first == second or second not in pair:
        return None
    return 0 if first == pair[1] else 1
