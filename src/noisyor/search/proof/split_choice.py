"""The choice of the split to branch on: the one that raises the bounds of both sides most.

How much they rise is estimated by a few steps of the simplex method (strong branching). That is
slow, so only some splits of each kind are tried: those that promise most by what was seen of them
in other branches (pseudo-costs). A split that was tried often enough is not tried again; what was
seen of it is the estimate (reliability branching; Achterberg, Koch and Martin, 2005).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from noisyor.search.bounds.bounding import Bounding
from noisyor.search.bounds.separation import Point
from noisyor.search.proof.splits import KINDS, Split

_IN_DOUBT = 1e-3  # distance of an undecided split's value from 0 and 1; less is tolerance
_CANDIDATES = 16  # splits of each kind to try, at most
_AT_ONCE = 4  # splits to try before the next look at the best so far
_FRUITLESS = 8  # splits in a row without a better one, after which no more are tried
_ITERATIONS = 60  # for each side of each split
_RELIABLE = 4  # trials of a split, after which their average is relied on
_LEAST_GAIN = 1e-3  # nats, so that without gain on one side the other side decides
_MOST_GAIN = 1e3  # nats, so that an impossible side does not outweigh all else that is seen


@dataclass(frozen=True, slots=True)
class Tried:
    """By how many nats the bounds rose on each side of a split with this value."""

    split: Split
    value: float
    without: float
    having: float

    def merit(self, room: float) -> float:
        """Return the product of both gains, each capped at the room that is left to the goal."""
        return max(_LEAST_GAIN, min(room, self.without)) * max(_LEAST_GAIN, min(room, self.having))


@dataclass(frozen=True, slots=True)
class Choice:
    """The split to branch on, and those that were tried."""

    split: Split
    trials: list[Tried]


@dataclass(slots=True)
class _Sum:
    """Gains per unit by which the value of a split changed, added up over `count` trials."""

    without: float = 0.0
    having: float = 0.0
    count: int = 0

    def add(self, tried: Tried) -> None:
        self.without += min(tried.without, _MOST_GAIN) / tried.value
        self.having += min(tried.having, _MOST_GAIN) / (1 - tried.value)
        self.count += 1

    def expected(self, split: Split, value: float) -> Tried:
        """Return the average as the gains of a split with this value."""
        without, having = self.without / self.count, self.having / self.count
        return Tried(split, value, without * value, having * (1 - value))


@dataclass(slots=True)
class Experience:
    """What the trials of splits have shown so far: of each, and on average of their kind."""

    _of: dict[Split, _Sum] = field(default_factory=dict)
    _of_kind: dict[type[Split], _Sum] = field(default_factory=dict)

    def learn(self, trials: Sequence[Tried]) -> None:
        """Take in what was seen in a branch."""
        for tried in trials:
            self._of.setdefault(tried.split, _Sum()).add(tried)
            self._of_kind.setdefault(type(tried.split), _Sum()).add(tried)

    def promise(self, split: Split, value: float, room: float) -> float:
        """Return the merit to expect of a split; that of an average one if it is unknown."""
        seen = self._of.get(split) or self._of_kind.get(type(split))
        if seen is None:
            return value * (1 - value)  # no gains to cap: those nearest to one half come first
        return seen.expected(split, value).merit(room)

    def relied_on(self, split: Split, value: float) -> Tried | None:
        """Return the gains to expect of a split, if it was tried often enough."""
        seen = self._of.get(split)
        return None if seen is None or seen.count < _RELIABLE else seen.expected(split, value)


def undecided(
    point: Point, experience: Experience, room: float, may_split: Callable[[Split], bool]
) -> dict[Split, float]:
    """Return the values of the splits to try, the most promising first."""
    chosen: dict[Split, float] = {}
    for splits_of in KINDS:
        values = {
            split: value
            for split, value in splits_of(point).items()
            if _IN_DOUBT < value < 1 - _IN_DOUBT
        }
        found = 0
        for split in _by_promise(values, experience, room):
            if found == _CANDIDATES:
                break
            if may_split(split):
                chosen[split] = values[split]
                found += 1
    return {split: chosen[split] for split in _by_promise(chosen, experience, room)}


def _by_promise(values: Mapping[Split, float], experience: Experience, room: float) -> list[Split]:
    return sorted(values, key=lambda one: -experience.promise(one, values[one], room))


def choose_split(
    work: Bounding, splits: Mapping[Split, float], experience: Experience, room: float
) -> Choice:
    """Return the split of most merit; the first one if several are equal.

    Splits of which nothing reliable is known are tried in their order, until some in a row are no
    better than the best so far.
    """
    known = {split: experience.relied_on(split, value) for split, value in splits.items()}
    gains = {split: one for split, one in known.items() if one is not None}
    waiting = [split for split in splits if split not in gains]
    trials: list[Tried] = []
    best = max((one.merit(room) for one in gains.values()), default=-1.0)
    fruitless = 0
    while waiting and fruitless < _FRUITLESS:
        now, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        found = work.gains(now, _ITERATIONS)
        tried = [Tried(split, splits[split], *own) for split, own in zip(now, found, strict=True)]
        most = max(one.merit(room) for one in tried)
        fruitless = 0 if most > best else fruitless + len(now)
        best = max(best, most)
        trials += tried
    gains.update((one.split, one) for one in trials)
    chosen = max(
        (split for split in splits if split in gains), key=lambda split: gains[split].merit(room)
    )
    return Choice(chosen, trials)
