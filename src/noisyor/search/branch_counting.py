"""Counts the members of a branch: by a walk through them, or by a diagram of their orders."""

from dataclasses import replace

from noisyor.search.members.branch_union import CountedBranch
from noisyor.search.members.counting import TIME_IS_UP, TOO_MANY_NODES, Hands
from noisyor.search.members.diagram import DiagramEnumeration, diagram_of
from noisyor.search.members.enumeration import Enumeration, Tally
from noisyor.search.proof.state import State

_TURNS = ((2**18, 2**26), (2**23, 2**30), (2**27, 2**63))
"""The most nodes of a walk, and the most bytes of a diagram, in turn."""


def count_branch(state: State, hands: Hands, memory: int) -> CountedBranch:
    """Count the members of a branch whose best network is known.

    Either way may take far longer than the other, so they take turns, each with a larger budget at
    every turn: a walk of few nodes, then a diagram that takes little memory. `memory` is the most
    in bytes. In the end the walk goes on without a limit. What is done depends on the branch alone,
    not on the time that it takes.
    """
    for nodes, most_bytes in _TURNS:
        enumeration, tally = _walk(state, replace(hands, most_nodes=nodes))
        if TOO_MANY_NODES not in tally.shortfalls:
            return CountedBranch(enumeration, tally, state.index)
        if (counted := _by_diagram(state, hands, min(memory, most_bytes))) is not None:
            return counted
        if hands.clock.time_is_up:
            tally = replace(tally, shortfalls=(TIME_IS_UP,))
            return CountedBranch(enumeration, tally, state.index)
    return CountedBranch(*_walk(state, hands), state.index)


def _walk(state: State, hands: Hands) -> tuple[Enumeration, Tally]:
    if state.best is None:
        raise RuntimeError("a branch was to be counted before its best network was found")
    problem = replace(state.standing.problem, slack=state.slack)
    enumeration = Enumeration(problem, state.families, state.proof, state.best, hands)
    return enumeration, enumeration.count()


def _by_diagram(state: State, hands: Hands, memory: int) -> CountedBranch | None:
    diagram = diagram_of(
        state.families,
        state.duals,
        state.standing.limit,
        order=state.order(),
        memory=memory,
        hands=hands,
    )
    if diagram is None:
        return None
    decay = state.standing.problem.decay
    enumeration = DiagramEnumeration(diagram, state.families, decay, hands)
    return CountedBranch(enumeration, enumeration.count(), state.index)
