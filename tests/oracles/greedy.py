"""The greedy network, by looking at every family again in every step."""

from collections.abc import Sequence

Families = Sequence[Sequence[tuple[int, float]]]
"""For each child its families, parents and cost, ascending by cost."""


def greedy_network(families: Families) -> tuple[dict[int, int], list[int]]:
    """Return the family of each variable that can be placed, by its place, and the other variables.

    Each step places the variable whose cheapest family over the placed variables costs least more
    than the cheapest of all its families; of equals, the first.
    """
    chosen: dict[int, int] = {}
    while True:
        placed = sum(1 << child for child in chosen)
        choices = [
            (cost - own[0][1], child, place)
            for child, own in enumerate(families)
            if child not in chosen
            for place, (parents, cost) in enumerate(own)
            if not parents & ~placed
        ]
        if not choices:
            return chosen, [child for child in range(len(families)) if child not in chosen]
        _, child, place = min(choices)
        chosen[child] = place
