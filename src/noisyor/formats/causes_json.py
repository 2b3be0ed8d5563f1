"""The parameters of independent causes in noisyor's own JSON, by parent, state and level.

    {"q": {"cold": 0.4, "flu": 0.2}, "leak_q": 0.9}                       a noisy-OR of two states
    {"q": {"vaccine": {"no": 0.6, "yes": 1.0}}, "leak_q": 0.9}            a signed noisy-OR
    {"q": {"smoking": {"heavy": {"mild": 0.5, "severe": 0.9}}}}           a noisy-MAX

A cause that no record of a level has is listed in `unseen`: its q has no meaning.

    {"q": ..., "unseen": [{"parent": "smoking", "state": "heavy", "level": "severe"},
                          {"parent": null, "level": "mild"}]}            the latter is the leak

`network_parts_json` says what the numbers mean.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core import Variable
from noisyor.core.relations import Cause, CauseModel, Distribution, Effect, Relation
from noisyor.core.variable import BINARY
from noisyor.formats.json_place import JsonPlace

Document = dict[str, object]


def levels_of(child: Variable, model: CauseModel) -> tuple[str, ...]:
    """Return the states that causes can bring about, weakest first: all but the idle one."""
    return child.states[1:] if model.effect is Effect.MAX else child.states[-2::-1]


def causes_to_json(
    distribution: Distribution, child: Variable, parents: Sequence[Variable]
) -> Document:
    """Return `q`, with a leak `leak_q`, and `unseen` if no record has some cause."""
    q, leak_q = _nested(distribution, child, parents, lambda cause: list(cause.levels))
    said: Document = {"q": q}
    model = _model_of(distribution.relation)
    if model.leak:
        said["leak_q"] = leak_q
    unseen = list(_unseen(distribution, levels_of(child, model), parents))
    if unseen:
        said["unseen"] = unseen
    return said


def strengths_to_json(
    distribution: Distribution, child: Variable, parents: Sequence[Variable]
) -> tuple[Document, object]:
    """Return the strengths 1 - q and that of the leak; None where records say nothing."""

    def strengths(cause: Cause) -> list[float | None]:
        numbered = enumerate(cause.levels, start=1)
        return [1 - q if cause.is_seen(level) else None for level, q in numbered]

    return _nested(distribution, child, parents, strengths)


def causes_from_json(
    place: JsonPlace, relation: Relation, child: Variable, parents: Sequence[Variable]
) -> Distribution:
    """Return the distribution that `causes_to_json` described.

    `parents` are ascending; the file may list them in any order.
    """
    model = _model_of(relation)
    leak = ["leak_q"] if model.leak else []
    fields = place.fields("relation", "q", *leak, optional=("unseen",))
    levels = levels_of(child, model)
    by_parent = _named(fields["q"], [parent.name for parent in parents])
    causes: list[JsonPlace] = []
    if _is_plain(model, child, parents):
        causes += by_parent
    else:
        for own, parent in zip(by_parent, parents, strict=True):
            acting = [parent.states[state] for state in model.acting_states(parent.state_count)]
            causes += _named(own, acting)
    causes += [fields[key] for key in leak]
    if len(levels) > 1:
        causes = [level for one in causes for level in _named(one, levels)]
    numbers = [one.probability() for one in causes]
    sizes = [parent.state_count for parent in parents]
    made = relation.distribution(numbers, child.state_count, sizes)
    if "unseen" not in fields:
        return made
    return made.marked(_marks(fields["unseen"], made, levels, parents))


def _model_of(relation: Relation) -> CauseModel:
    if relation.causes is None:
        raise TypeError(f"{relation} has no causes")
    return relation.causes


def _nested(
    distribution: Distribution,
    child: Variable,
    parents: Sequence[Variable],
    values_of: Callable[[Cause], Sequence[object]],
) -> tuple[Document, object]:
    """Return values by parent, state and level, and those of the leak; None without one."""
    model = _model_of(distribution.relation)
    levels = levels_of(child, model)
    by_state: list[Document] = [{} for _ in parents]
    leak: object = None
    for cause in distribution.causes():
        values = values_of(cause)
        said = values[0] if len(values) == 1 else dict(zip(levels, values, strict=True))
        if cause.parent is None:
            leak = said
        else:
            by_state[cause.parent][parents[cause.parent].states[cause.state]] = said
    plain = _is_plain(model, child, parents)
    listed = [value for own in by_state for value in own.values()] if plain else [*by_state]
    return dict(zip((one.name for one in parents), listed, strict=True)), leak


def _unseen(
    distribution: Distribution, levels: Sequence[str], parents: Sequence[Variable]
) -> Iterator[Document]:
    for cause in distribution.causes():
        for number, level in enumerate(levels, start=1):
            if not cause.is_seen(number):
                yield _place_of(cause, level, parents)


def _place_of(cause: Cause, level: str, parents: Sequence[Variable]) -> Document:
    if cause.parent is None:
        return {"parent": None, "level": level}
    parent = parents[cause.parent]
    return {"parent": parent.name, "state": parent.states[cause.state], "level": level}


def _marks(
    place: JsonPlace, made: Distribution, levels: Sequence[str], parents: Sequence[Variable]
) -> npt.NDArray[np.bool_]:
    causes = made.causes()
    marks = np.zeros((len(causes), len(levels)), dtype=np.bool_)
    known = {
        tuple(_place_of(cause, level, parents).items()): (row, column)
        for row, cause in enumerate(causes)
        for column, level in enumerate(levels)
    }
    for one in place.entries():
        fields = one.fields("parent", "level", optional=("state",))
        keys = [key for key in ("parent", "state", "level") if key in fields]
        said = tuple((key, fields[key].value) for key in keys)
        if any(isinstance(value, dict | list) for _, value in said) or said not in known:
            raise one.wrong("is not a cause of the variable with one of its levels")
        marks[known[said]] = True
    return marks


def _is_plain(model: CauseModel, child: Variable, parents: Sequence[Variable]) -> bool:
    """Whether the presence of a parent is all that acts, so that no state need be named."""
    sizes = {child.state_count, *(parent.state_count for parent in parents)}
    return model.is_noisy_or and sizes == {BINARY}


def _named(place: JsonPlace, names: Sequence[str]) -> list[JsonPlace]:
    """Return what stands at these names, which must be all that there are."""
    by_name = place.by_name()
    if by_name.keys() != set(names):
        raise place.wrong(f"must have one entry for each of: {', '.join(names)}")
    return [by_name[name] for name in names]
