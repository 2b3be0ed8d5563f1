"""Counts the members of a branch: by a walk if that is short, otherwise by a diagram."""

from dataclasses import replace

from noisyor.search.members.branch_union import CountedBranch
from noisyor.search.members.counting import TIME_IS_UP, TOO_MANY_NODES, Hands
from noisyor.search.members.diagram import DiagramEnumeration, diagram_of
from noisyor.search.members.enumeration import Enumeration, Tally
from noisyor.search.proof.state import State

_FEW_NODES = 2**10  # in each subtree of a walk: what takes more is left to a diagram


def count_branch(state: State, hands: Hands, memory: int) -> CountedBranch:
    """Count the members of a branch whose best network is known.

    If there are not enough bytes of memory for a diagram, the walk goes on to its end. What is done
    depends on the branch alone, not on the time that it takes.
    """
    enumeration, tally = _walk(state, replace(hands, most_nodes=_FEW_NODES))
    if TOO_MANY_NODES in tally.shortfalls:
        if (counted := _by_diagram(state, hands, memory)) is not None:
            return counted
        if hands.clock.time_is_up:
            tally = replace(tally, shortfalls=(TIME_IS_UP,))
        else:
            enumeration, tally = _walk(state, hands)
    return CountedBranch(enumeration, tally, state.index)


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
