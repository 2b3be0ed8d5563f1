"""Prior knowledge about the network."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from noisyor.core.errors import ConstraintError
from noisyor.core.listing import expected_names
from noisyor.core.variable_sets import MAX_VARIABLES, set_of, variables_in

Edge = tuple[str, str]
"""A pair (parent, child)."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """For each child its allowed and required parents, and the most parents it may have.

    Allowed parents and `max_parents` are closed under taking subsets, so they only shrink the
    candidates. Required parents are not: a dominating subset must contain them too, so a table
    must be scored with them (see `scoring`). `Knowledge.constraints` builds them from names.

    Parameters
    ----------
    names
        The names of the variables.
    allowed
        For each child the set of parents that it may have: bit v stands for variable v.
    required
        For each child the set of parents that it must have.
    max_parents
        The most parents of any child; None for no limit.
    """

    names: tuple[str, ...]
    allowed: tuple[int, ...]
    required: tuple[int, ...]
    max_parents: int | None = None

    def __post_init__(self) -> None:
        """Refuse constraints that no network satisfies; the error names the contradiction."""
        count = len(self.names)
        if len(self.allowed) != count or len(self.required) != count:
            raise ValueError("one set of allowed and one of required parents per variable")
        if self.max_parents is not None and self.max_parents < 0:
            raise ConstraintError(f"max_parents is {self.max_parents}; it must be 0 or more")
        for child, (allowed, required) in enumerate(zip(self.allowed, self.required, strict=True)):
            if (allowed | required) >> count or (allowed >> child) & 1:
                raise ValueError(f"impossible parents for variable {child}")
            for parent in variables_in(required & ~allowed):
                raise ConstraintError(
                    f"the edge {self.names[parent]!r} -> {self.names[child]!r} is both required "
                    "and excluded (by a forbidden edge, a tier, a root or a sink)"
                )
            if self.max_parents is not None and required.bit_count() > self.max_parents:
                parents = ", ".join(repr(self.names[parent]) for parent in variables_in(required))
                raise ConstraintError(
                    f"{self.names[child]!r} has {required.bit_count()} required parents, but "
                    f"max_parents is {self.max_parents}; the parents are: {parents}"
                )
        cycle = find_cycle(self.required)
        if cycle:
            path = " -> ".join(repr(self.names[v]) for v in (*cycle, cycle[0]))
            raise ConstraintError(f"the required edges form a cycle: {path}")

    @property
    def most_parents(self) -> int:
        """The most parents that a child may have, at most MAX_VARIABLES."""
        return MAX_VARIABLES if self.max_parents is None else min(self.max_parents, MAX_VARIABLES)

    @classmethod
    def none(cls, names: Sequence[str]) -> "Constraints":
        """Return constraints that exclude nothing."""
        everyone = (1 << len(names)) - 1
        return cls(
            tuple(names),
            tuple(everyone & ~(1 << child) for child in range(len(names))),
            (0,) * len(names),
        )

    def tiers(self) -> tuple[int, ...] | None:
        """Return the tier of each variable, from 0; None if all may be ancestors of one another.

        Variables that may be ancestors of one another share a tier. Any other variable that may be
        an ancestor is in an earlier one, so no allowed edge leads from a later tier to an earlier.
        """
        if self.is_trivial:
            return None
        ancestors = list(self.allowed)
        for between in range(len(ancestors)):
            for child, known in enumerate(ancestors):
                if known >> between & 1:
                    ancestors[child] |= ancestors[between]
        tier = [0] * len(ancestors)
        # With itself, an earlier variable has fewer: its tier is known when it is needed.
        for child in sorted(
            range(len(tier)), key=lambda one: (ancestors[one] | 1 << one).bit_count()
        ):
            earlier = (
                tier[one]
                for one in variables_in(ancestors[child])
                if not ancestors[one] >> child & 1
            )
            tier[child] = 1 + max(earlier, default=-1)
        return tuple(tier) if any(tier) else None

    @property
    def is_trivial(self) -> bool:
        """Whether nothing is excluded."""
        return self == Constraints.none(self.names)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Prior knowledge about the network, by name: the readable form of `Constraints`.

    Parameters
    ----------
    required
        Edges (parent, child) that every network must have.
    forbidden
        Edges (parent, child) that no network may have.
    tiers
        Groups of variables from early to late. No edge leads from a later tier to an earlier one.
        Variables in no tier are not restricted.
    roots
        Variables without parents.
    sinks
        Variables without children.
    max_parents
        The most parents of any variable; None for no limit.

    Examples
    --------
    >>> knowledge = Knowledge(required=[("smoke", "cancer")], roots=["age"], max_parents=3)
    >>> knowledge.constraints(["age", "smoke", "cancer"]).max_parents
    3
    """

    required: Sequence[Edge] = ()
    forbidden: Sequence[Edge] = ()
    tiers: Sequence[Sequence[str]] = ()
    roots: Sequence[str] = ()
    sinks: Sequence[str] = ()
    max_parents: int | None = None

    def names(self) -> frozenset[str]:
        """Return the variables that the knowledge names."""
        edges = (*self.required, *self.forbidden)
        groups = (*edges, *self.tiers, self.roots, self.sinks)
        return frozenset(name for group in groups for name in group)

    def constraints(self, names: Sequence[str]) -> Constraints:
        """Return the constraints over the variables with these names.

        Parameters
        ----------
        names
            The names of all variables, in the order of the data.

        Raises
        ------
        ConstraintError
            A name is unknown, or no network satisfies the knowledge.
        """
        number = {name: index for index, name in enumerate(names)}
        forbidden = [_ends(edge, number, "a forbidden edge") for edge in self.forbidden]
        required = [_ends(edge, number, "a required edge") for edge in self.required]
        roots = _numbers(self.roots, number, "roots")
        sinks = _numbers(self.sinks, number, "sinks")
        tiers = [
            _numbers(tier, number, f"tier {position}")
            for position, tier in enumerate(self.tiers, start=1)
        ]
        tier_of = _tier_of(tiers, names)
        _check_required(required, _Excluded(set(forbidden), set(roots), set(sinks), tier_of), names)
        allowed = list(Constraints.none(names).allowed)
        for parent, child in forbidden:
            allowed[child] &= ~(1 << parent)
        for child in roots:
            allowed[child] = 0
        later = 0
        for tier in reversed(tiers):
            for child in tier:
                allowed[child] &= ~later
            later |= set_of(tier)
        never = set_of(sinks)
        wanted = [0] * len(names)
        for parent, child in required:
            wanted[child] |= 1 << parent
        return Constraints(
            tuple(names),
            tuple(parents & ~never for parents in allowed),
            tuple(wanted),
            self.max_parents,
        )


@dataclass(frozen=True, slots=True)
class _Excluded:
    """What excludes edges, by the numbers of the variables."""

    forbidden: set[tuple[int, int]]
    roots: set[int]
    sinks: set[int]
    tier_of: Mapping[int, int]


def _tier_of(tiers: Sequence[Sequence[int]], names: Sequence[str]) -> dict[int, int]:
    """Return the tier of each variable that is in one, from 1."""
    tier_of: dict[int, int] = {}
    for position, tier in enumerate(tiers, start=1):
        for variable in tier:
            if variable in tier_of:
                again = tier_of[variable]
                where = "twice" if again == position else f"and in tier {position}"
                raise ConstraintError(f"{names[variable]!r} is in tier {again} {where}")
            tier_of[variable] = position
    return tier_of


def _check_required(
    required: Iterable[tuple[int, int]], excluded: _Excluded, names: Sequence[str]
) -> None:
    """Refuse a required edge that another constraint excludes; the error names it."""
    for edge in required:
        parent, child = (names[end] for end in edge)
        if parent == child:
            raise ConstraintError(f"a required edge leads from {parent!r} to itself")
        start = f"the edge {parent!r} -> {child!r} is required, but"
        if edge in excluded.forbidden:
            raise ConstraintError(f"{start} also forbidden")
        if edge[1] in excluded.roots:
            raise ConstraintError(f"{start} {child!r} is a root, which has no parents")
        if edge[0] in excluded.sinks:
            raise ConstraintError(f"{start} {parent!r} is a sink, which has no children")
        above, below = (excluded.tier_of.get(end) for end in edge)
        if above is not None and below is not None and above > below:
            raise ConstraintError(
                f"{start} {parent!r} is in tier {above} and {child!r} in the earlier tier {below}"
            )


def _ends(edge: Sequence[str], number: Mapping[str, int], where: str) -> tuple[int, int]:
    """Return the numbers of an edge's parent and child."""
    if isinstance(edge, str) or len(edge) != len(("parent", "child")):
        raise ConstraintError(f"{where} is {edge!r:.80}; it must be a pair (parent, child)")
    parent, child = _numbers(edge, number, where)
    return parent, child


def _numbers(chosen: Iterable[str], number: Mapping[str, int], where: str) -> list[int]:
    """Return the numbers of variables given by name."""
    if isinstance(chosen, str):  # it would be iterated letter by letter
        raise ConstraintError(f"{where}: expected a list of names, not the text {chosen!r:.80}")
    numbers = []
    for name in chosen:
        if name not in number:
            raise ConstraintError(
                f"{where} names {name!r}, which is not a variable; "
                f"{expected_names(name, list(number), 'the table')}"
            )
        numbers.append(number[name])
    return numbers


def find_cycle(parents: Sequence[int]) -> tuple[int, ...]:
    """Return the variables of one directed cycle in the direction of its edges, or nothing."""
    children: list[list[int]] = [[] for _ in parents]
    missing = [above.bit_count() for above in parents]
    for child, above in enumerate(parents):
        for parent in variables_in(above):
            children[parent].append(child)
    placed = [v for v, count in enumerate(missing) if not count]
    for parent in placed:  # grows
        for child in children[parent]:
            missing[child] -= 1
            if not missing[child]:
                placed.append(child)
    if len(placed) == len(parents):
        return ()
    # Every remaining node has a remaining parent, so a walk from child to parent must repeat.
    at = next(v for v, count in enumerate(missing) if count)
    walk: dict[int, None] = {}
    while at not in walk:
        walk[at] = None
        at = next(v for v in variables_in(parents[at]) if missing[v])
    visited = list(walk)
    return tuple(reversed(visited[visited.index(at) :]))
