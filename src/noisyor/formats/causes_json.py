"""The parameters of independent causes in noisyor's own JSON, by parent, state and level.

    {"q": {"cold": 0.4, "flu": 0.2}, "leak_q": 0.9}                       a noisy-OR of two states
    {"q": {"vaccine": {"no": 0.6, "yes": 1.0}}, "leak_q": 0.9}            a signed noisy-OR
    {"q": {"smoking": {"heavy": {"mild": 0.5, "severe": 0.9}}}}           a noisy-MAX

`network_parts_json` says what the numbers mean.
"""

from collections.abc import Sequence

from noisyor.core import Variable
from noisyor.core.relations import Cause, CauseModel, Distribution, Effect
from noisyor.core.variable import BINARY
from noisyor.formats.json_place import JsonPlace

Document = dict[str, object]


def levels_of(child: Variable, model: CauseModel) -> tuple[str, ...]:
    """Return the states that causes can bring about, weakest first: all but the idle one."""
    return child.states[1:] if model.effect is Effect.MAX else child.states[-2::-1]


def causes_to_json(
    distribution: Distribution, child: Variable, parents: Sequence[Variable]
) -> Document:
    """Return `q` and, with a leak, `leak_q`."""
    model = distribution.relation.causes
    if model is None:
        raise TypeError(f"{distribution.relation} has no causes")
    levels = levels_of(child, model)
    by_state: list[Document] = [{} for _ in parents]
    said: Document = {}
    for cause in distribution.causes():
        if cause.parent is None:
            said["leak_q"] = _by_level(cause, levels)
        else:
            label = parents[cause.parent].states[cause.state]
            by_state[cause.parent][label] = _by_level(cause, levels)
    if _is_plain(model, child, parents):
        q = [number for own in by_state for number in own.values()]
    else:
        q = [*by_state]
    return {"q": dict(zip((one.name for one in parents), q, strict=True)), **said}


def causes_from_json(
    place: JsonPlace, model: CauseModel, child: Variable, parents: Sequence[Variable]
) -> list[float]:
    """Return the parameters of a distribution's `q` and `leak_q`: by cause, then by level.

    `parents` are ascending; the file may list them in any order.
    """
    leak = ["leak_q"] if model.leak else []
    fields = place.fields("relation", "q", *leak)
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
    if len(levels) == 1:
        return [one.probability() for one in causes]
    return [level.probability() for one in causes for level in _named(one, levels)]


def _is_plain(model: CauseModel, child: Variable, parents: Sequence[Variable]) -> bool:
    """Whether the presence of a parent is all that acts, so that no state need be named."""
    sizes = {child.state_count, *(parent.state_count for parent in parents)}
    return model.is_noisy_or and sizes == {BINARY}


def _by_level(cause: Cause, levels: Sequence[str]) -> object:
    numbers = [float(q) for q in cause.levels]
    return numbers[0] if len(numbers) == 1 else dict(zip(levels, numbers, strict=True))


def _named(place: JsonPlace, names: Sequence[str]) -> list[JsonPlace]:
    """Return what stands at these names, which must be all that there are."""
    by_name = place.by_name()
    if by_name.keys() != set(names):
        raise place.wrong(f"must have one entry for each of: {', '.join(names)}")
    return [by_name[name] for name in names]
