"""Names of variables and states in pyAgrum, where the original texts cannot be kept.

A text that pyAgrum would cut, change or crash on is replaced. The originals, and the state that
means present, go into a property of the network, which pyAgrum keeps in its own files.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from noisyor.core import FormatError, Network
from noisyor.core.variable import States
from noisyor.formats.legal_names import word_of
from noisyor.formats.or_causes import is_noisy_or

PROPERTY = "noisyor"
"""The property of a pyAgrum network that holds the texts."""

_PLAIN_STATES: States = ("absent", "present")
_FIELDS = {"called", "labels", "name", "states", "order"}


@dataclass(frozen=True, slots=True)
class Texts:
    """A variable in pyAgrum (`called`, `labels`) and the original (`name`, `states`).

    Labels and states are in pyAgrum's order; `order` has the positions there of the network's
    states.
    """

    called: str
    labels: States
    name: str
    states: States
    order: tuple[int, ...]

    @property
    def listed(self) -> tuple[int, ...]:
        """The network's states, by number, in pyAgrum's order."""
        return tuple(self.order.index(place) for place in range(len(self.order)))


def texts_of(
    network: Network, is_name: Callable[[str], bool], are_labels: Callable[[States], bool]
) -> tuple[Texts, ...]:
    """Return the texts of each variable, given which names and labels can be kept.

    A replacement differs from all other names, so that no two variables become one. States are in
    the order of the file that the network was read from, unless noisy-ORs need the network's, in
    which the second state acts.
    """
    taken = set(network.names)
    in_noisy_ors = _in_noisy_ors(network)
    result = []
    for v, (name, states) in enumerate(zip(network.names, network.states, strict=True)):
        called = name
        if not is_name(name):
            called = word_of(name)
            while called in taken:
                called += "_"
            taken.add(called)
        as_it_is = tuple(range(len(states)))
        of_file = network.appearance.of(name).order_for(network.variables[v]) or as_it_is
        order = as_it_is if v in in_noisy_ors else of_file
        if not are_labels(tuple(states[place] for place in order)):
            order = as_it_is
        listed = tuple(states[place] for place in order)
        labels = listed if are_labels(listed) else _plain(states)
        places = tuple(order.index(state) for state in as_it_is)
        result.append(Texts(called, labels, name, listed, places))
    return tuple(result)


def _in_noisy_ors(network: Network) -> set[int]:
    """Return the variables in a family that pyAgrum has as a noisy-OR."""
    return {
        member
        for family, distribution in zip(
            network.structure.families, network.distributions, strict=True
        )
        if is_noisy_or(distribution)
        for member in (family.child, *family.parent_indices())
    }


def _plain(states: States) -> States:
    """Return labels that any program can hold."""
    if len(states) == len(_PLAIN_STATES):
        return _PLAIN_STATES
    return tuple(f"state{place}" for place in range(len(states)))


def is_plain_text(text: str) -> bool:
    """Return whether pyAgrum can hold a text at all.

    It cuts labels at a zero character, and crashes on what UTF-8 cannot express.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def to_property(texts: Sequence[Texts]) -> str:
    """Return the property's value: JSON in ASCII, so that no program in between changes it."""
    return json.dumps(
        [
            {
                "called": one.called,
                "labels": list(one.labels),
                "name": one.name,
                "states": list(one.states),
                "order": list(one.order),
            }
            for one in texts
        ]
    )


def from_property(value: str) -> dict[str, Texts]:
    """Return the texts by the name of the variable in pyAgrum."""
    try:
        document = json.loads(value)
    except (ValueError, RecursionError) as error:  # not JSON, or a number of thousands of digits
        raise _unreadable(str(error)) from error
    if not isinstance(document, list):
        raise _unreadable("it is not a list")
    return {one.called: one for one in map(_texts, document)}


def _texts(entry: object) -> Texts:
    if not isinstance(entry, dict) or set(entry) != _FIELDS:
        raise _unreadable(f"an entry is {entry!r:.60}")
    if not isinstance(entry["called"], str) or not isinstance(entry["name"], str):
        raise _unreadable(f"a name is not text in {entry!r:.60}")
    labels, states = _labels(entry["labels"]), _labels(entry["states"])
    if len(labels) != len(states):
        raise _unreadable(f"there are {len(labels)} labels for {len(states)} states")
    order = entry["order"]
    if not isinstance(order, list) or sorted(map(repr, order)) != sorted(
        map(repr, range(len(states)))
    ):
        raise _unreadable(f"the order of {len(states)} states is expected, not {order!r:.60}")
    return Texts(entry["called"], labels, entry["name"], states, tuple(order))


def _labels(value: object) -> States:
    if (
        not isinstance(value, list)
        or not value
        or not all(isinstance(one, str) for one in value)
        or len(set(value)) != len(value)
    ):
        raise _unreadable(f"different labels are expected, not {value!r:.60}")
    return tuple(value)


def _unreadable(reason: str) -> FormatError:
    return FormatError(
        f"the pyAgrum network has a property {PROPERTY!r} that noisyor did not write: {reason}; "
        "remove it, and the names and labels are taken as they are"
    )
