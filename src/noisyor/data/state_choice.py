"""Decide which states a column has, and in which order.

The order that the user gives comes first, then what the source declares, then the values:

1. With `order`, the states are those listed, and they are ordered.
2. Two values of an accepted pair (0/1, no/yes, ...) are absent and present; `present` reverses
   them, and decides for any other two values.
3. Where the source lists the states (an ordered categorical, the nominal column of an ARFF file),
   they keep that order, and those that never occur are kept, too.
4. Numbers ascend and are ordered, except where the source calls them categories. So do numbers
   that all have the same sign, such as `5%` or `$3.50`.
5. Other texts are sorted, with numbers inside of them by value, and are not ordered.

A column of one value gets the other word of its pair, or `not VALUE`, as its absent state.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from noisyor.core.errors import DataError, MismatchError, SettingsError
from noisyor.core.state_words import means_present, pair_of
from noisyor.core.variable import BINARY, MAX_NODE_STATES, MAX_STATES, Variable
from noisyor.core.warning import warn_user
from noisyor.data.advice import USUAL_ADVICE, Advice
from noisyor.data.values import (
    is_moment,
    is_number,
    key_of,
    label_of,
    measured_number,
    partner_label,
)
from noisyor.data.warning import DataWarning

_DIGITS = re.compile(r"(\d+)", re.ASCII)
_MOST_SHOWN = 6


class PresentError(DataError):
    """A column does not have the value that shall mean present."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What the source of a column says about its states.

    Parameters
    ----------
    states
        The states in their order; None if they are not listed.
    ordered
        Whether they are ordered; None if that depends on whether they are numbers.
    count
        The number of states, if it is declared without their names: they are 0, 1, ..., if all
        values are among these, and else those that occur.
    """

    states: tuple[str, ...] | None = None
    ordered: bool | None = None
    count: int | None = None


UNDECLARED = Declared()
"""Nothing is said: the values decide."""

CATEGORIES = Declared(ordered=False)
"""The values are categories without an order, even where they look like numbers."""


@dataclass(frozen=True, slots=True)
class ChosenStates:
    """The variable that a column becomes, and the key of each state (see `values`).

    `is_open` is whether nothing says which of two values means present; the later one in the
    alphabet is last here.
    """

    variable: Variable
    keys: tuple[str, ...]
    is_open: bool = False


def choose_states(  # noqa: PLR0913 (each says something else about the column)
    name: str,
    seen: Mapping[str, str],
    declared: Declared = UNDECLARED,
    *,
    present: str | None = None,
    order: Sequence[str] | None = None,
    of_network: bool = False,
    advice: Advice = USUAL_ADVICE,
) -> ChosenStates:
    """Return the states of a column.

    Parameters
    ----------
    name
        The name of the column.
    seen
        The labels of the values that occur, by key; in any order, at least one.
    declared
        What the source says about the states.
    present
        The value that means present, if the user says so.
    order
        All states in their order, if the user says so.
    of_network
        Whether that order is the states of a network's variable.
    advice
        What the user can do about the column, for messages.

    """
    if order is not None:
        if present is not None:
            raise SettingsError(
                f"column {name!r} is given an order and a value that means present; one of them is "
                "enough: of two states, the second one means present"
            )
        return _in_order(name, seen, order, of_network=of_network)
    labels = _declared_labels(name, seen, declared, advice)
    if present is not None:
        return _with_present(name, labels, present)
    if len(labels) == 1:
        return _constant(name, labels)
    if len(labels) == BINARY and pair_of(labels) is not None:
        return _chosen(name, labels, sorted(labels, key=means_present))
    return _by_values(name, labels, declared, advice)


def _by_values(
    name: str, labels: Mapping[str, str], declared: Declared, advice: Advice
) -> ChosenStates:
    """Return the states of a column about which only its source says something, if anything."""
    numbers = all(map(is_number, labels))
    if declared.states is None:
        _refuse_variants(name, labels, numbers=numbers)
    if numbers and declared.ordered is None:
        return _chosen(name, labels, sorted(labels, key=Decimal), ordered=True)
    measured = {key: found for key in labels if (found := measured_number(key)) is not None}
    if (
        declared == UNDECLARED
        and len(measured) == len(labels)
        and len({sign for sign, _ in measured.values()}) == 1
    ):
        by_number = sorted(labels, key=lambda key: measured[key][1])
        return _chosen(name, labels, by_number, ordered=True)
    if declared.states is None:
        keys = sorted(labels, key=_natural)
        if declared.ordered is None:
            _warn_of_texts_among_numbers(name, [labels[key] for key in keys])
            _warn_of_dates(name, [labels[key] for key in keys], advice)
        return replace(_chosen(name, labels, keys), is_open=len(keys) == BINARY)
    return _chosen(name, labels, list(labels), ordered=declared.ordered is True)


def _chosen(
    name: str, labels: Mapping[str, str], keys: Sequence[str], *, ordered: bool = False
) -> ChosenStates:
    """Return these states; two states need no order of their own."""
    states = tuple(labels[key] for key in keys)
    return ChosenStates(
        Variable(name, states, ordered=ordered and len(states) > BINARY), tuple(keys)
    )


def _declared_labels(
    name: str, seen: Mapping[str, str], declared: Declared, advice: Advice
) -> dict[str, str]:
    """Return the labels of all states by key: those that are listed, or else those that occur."""
    if declared.count is not None:
        return _counted_labels(name, seen, declared.count, advice)
    if declared.states is None:
        return dict(seen)
    labels: dict[str, str] = {}
    for text in declared.states:
        key = key_of(text)
        if key is None:  # a word for missing is no state
            continue
        if key in labels:
            raise DataError(
                f"column {name!r} declares {labels[key]!r} and {text.strip()!r}, which are the "
                "same value; each state is declared once"
            )
        labels[key] = seen.get(key, label_of(key, {text.strip()}))
    _refuse_many(name, len(labels), advice)
    for key, label in seen.items():
        if key not in labels:
            raise DataError(
                f"column {name!r} has the value {label!r}, which is not one of its declared "
                f"states: {shown(list(labels.values()))}"
            )
    return labels


def _counted_labels(
    name: str, seen: Mapping[str, str], count: int, advice: Advice
) -> dict[str, str]:
    """Return the labels by key of states of which only the number is declared."""
    if len(seen) > count:
        raise DataError(
            f"column {name!r} has {len(seen)} different values "
            f"({shown(sorted(seen.values(), key=_natural))}), but declares {count}"
        )
    _refuse_many(name, count, advice)
    whole = {str(number): str(number) for number in range(count)}
    return whole if seen.keys() <= whole.keys() else dict(seen)


def _refuse_many(name: str, count: int, advice: Advice) -> None:
    if count > MAX_STATES:
        raise DataError(
            f"column {name!r} declares {count} states; at most {MAX_STATES} are supported. Remove "
            f"those that never occur, or leave the column out{advice.how_to_drop(name)}"
        )


def _in_order(
    name: str, seen: Mapping[str, str], order: Sequence[str], *, of_network: bool
) -> ChosenStates:
    labels: dict[str, str] = {}
    for text in order:
        key = key_of(text)
        if key is None:
            raise SettingsError(
                f"the order of column {name!r} has the state {text!r}, which means a missing value"
            )
        if key in labels:
            raise SettingsError(
                f"the order of column {name!r} has {text.strip()!r} twice; each state is listed "
                "once"
            )
        labels[key] = seen.get(key, label_of(key, {text.strip()}))
    most = MAX_NODE_STATES if of_network else MAX_STATES
    if not BINARY <= len(labels) <= most:
        raise SettingsError(
            f"the order of column {name!r} has {len(labels)} states; from {BINARY} to {most} are "
            "allowed"
        )
    for key, label in seen.items():
        if key in labels:
            continue
        listed = shown(list(labels.values()))
        if of_network:
            raise MismatchError(
                f"column {name!r} has the value {label!r}, which is no state of that variable in "
                f"the network; it has: {listed}"
            )
        raise DataError(
            f"column {name!r} has the value {label!r}, which its order ({listed}) lacks; an order "
            "lists every state"
        )
    return _chosen(name, labels, list(labels), ordered=True)


def _with_present(name: str, labels: Mapping[str, str], present: str) -> ChosenStates:
    if len(labels) > BINARY:
        raise PresentError(
            f"column {name!r} has {len(labels)} states ({shown(sorted(labels.values()))}); only "
            "one of two can mean present, and order gives the order of more"
        )
    key = key_of(present)
    if key is None or key not in labels:
        raise PresentError(
            f"column {name!r} never has the value {present!r}, which should mean present; it has "
            f"{' and '.join(map(repr, sorted(labels.values())))}"
        )
    if len(labels) == 1:
        absent = partner_label(labels[key]) or f"not {labels[key]}"
        return _two(name, (absent, labels[key]), ("", key))
    other = next(one for one in labels if one != key)
    return _two(name, (labels[other], labels[key]), (other, key))


def _constant(name: str, labels: Mapping[str, str]) -> ChosenStates:
    """Return a column of one value with another state, which never occurs."""
    ((key, label),) = labels.items()
    partner = partner_label(label)
    if partner is not None and not means_present(key):
        return _two(name, (label, partner), (key, ""))
    return _two(name, (partner or f"not {label}", label), ("", key))


def _two(name: str, states: tuple[str, str], keys: tuple[str, str]) -> ChosenStates:
    return ChosenStates(Variable(name, states), keys)


def _refuse_variants(name: str, labels: Mapping[str, str], *, numbers: bool) -> None:
    """Refuse two values that are hardly different: they may be one state, or two."""
    known: dict[object, str] = {}
    given = sorted(labels.values())
    for label in given:
        measured = measured_number(label)
        value = Decimal(label) if numbers else measured or _bare(label)
        other = known.setdefault(value, label)
        if other != label:
            raise DataError(
                f"column {name!r} has the values {other!r} and {label!r}, which differ only by "
                f"{'notation' if numbers or measured else 'case or blanks'}; write them alike, or "
                f"list all states if they are different ones: order={{{name!r}: {given!r}}}"
            )


def _warn_of_texts_among_numbers(name: str, labels: Sequence[str]) -> None:
    """Warn of a few texts that keep numbers from being ordered: a missing value, or `3+`."""
    texts = [label for label in labels if not is_number(label)]
    if 1 <= len(texts) < len(labels) - len(texts):
        warn_user(
            f"column {name!r} has numbers and {' and '.join(map(repr, texts))}, so its states have "
            f"no order; give them one (order={{{name!r}: [...]}}), or write NA if a value is "
            "missing",
            DataWarning,
        )


def _warn_of_dates(name: str, labels: Sequence[str], advice: Advice) -> None:
    if len(labels) > BINARY and all(map(is_moment, labels)):
        warn_user(
            f"column {name!r} holds dates or times, which become {len(labels)} states without an "
            "order; take the month or the year instead, or leave it out"
            f"{advice.how_to_drop(name)}",
            DataWarning,
        )


def _bare(label: str) -> str:
    return "".join(label.casefold().split())


def _natural(key: str) -> tuple[list[tuple[int, str]], str]:
    """Return what texts are sorted by: words without their case, digits by value."""
    parts = _DIGITS.split(key.casefold())  # words and digits in turn
    digits = (part.lstrip("0") for part in parts[1::2])
    parts[1::2] = digits
    return [(len(part) if place % 2 else 0, part) for place, part in enumerate(parts)], key


def shown(labels: Sequence[str]) -> str:
    """Return the first few labels for a message."""
    return ", ".join(labels[:_MOST_SHOWN]) + (", ..." if len(labels) > _MOST_SHOWN else "")
