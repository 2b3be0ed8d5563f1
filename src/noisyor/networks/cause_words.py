"""What a cause does, in the words of a sentence.

A binary variable whose labels are words for absence and presence is named alone where it is
present, and as "no fever" where it is absent. All other states are named as in "sex = female".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from noisyor.core import Variable
from noisyor.core.relations import Cause, CauseModel, Effect
from noisyor.core.state_words import place_of_present

_ELSE = "something else"


def state_words(variable: Variable, state: int) -> str:
    """Return a variable in one of its states: "fever", "no fever" or "sex = female"."""
    present = presence_of(variable)
    if present is None:
        return f"{variable.name} = {variable.states[state]}"
    return variable.name if state == present else f"no {variable.name}"


@dataclass(frozen=True, slots=True)
class CauseWords:
    """How the causes of a child are spoken of.

    Parameters
    ----------
    child
        The child.
    parents
        Its parents, ascending.
    model
        How they act.
    """

    child: Variable
    parents: tuple[Variable, ...]
    model: CauseModel

    @property
    def effect(self) -> str:
        """The child as sentences about all of its causes name it."""
        if not self.child.is_binary:
            return self.child.name
        return state_words(self.child, 1)

    def cause(self, cause: Cause) -> str | None:
        """Return the state of a parent that acts; None for the leak."""
        if cause.parent is None:
            return None
        return state_words(self.parents[cause.parent], cause.state)

    def statement(self, cause: Cause, level: int) -> str:
        """Return what a cause does at a level, from 1, without the probability."""
        if not self.child.is_binary:
            return self._moves(cause, level)
        if self.model.effect is Effect.MIN:
            return self._fails(cause)
        if cause.parent is None:
            return f"{_ELSE} brings about {self.effect}"
        return f"{self.cause(cause)} brings about {self.effect}"

    def needs(self, idle: Sequence[int | None]) -> str | None:
        """Return what a child of a minimum needs: all of its parents in their idle states.

        `idle` has the idle state of each parent, None for one that does not matter. None if the
        strongest cause decides, so that nothing is needed.
        """
        if self.model.effect is Effect.MAX:
            return None
        if not self.child.is_binary:
            names = _listed([parent.name for parent in self.parents])
            least = f"the least favourable of {names}" if len(self.parents) > 1 else names
            return f"{least} decides how high {self.child.name} can be"
        needed = [
            state_words(parent, state)
            for parent, state in zip(self.parents, idle, strict=True)
            if state is not None
        ]
        if not needed:
            return None
        if len(needed) == 1:
            return f"{needed[0]} is needed for {self.effect}"
        both = "all" if needed[2:] else "both"
        return f"{_listed(needed)} are {both} needed for {self.effect}"

    def _fails(self, cause: Cause) -> str:
        """Return what a cause of a noisy-AND does: it prevents the child."""
        fails = "still fails" if cause.parent is None else "fails"
        return f"{self._circumstance(cause)}, {self.effect} {fails} to occur"

    def _circumstance(self, cause: Cause) -> str:
        """Return what is lacking, or in the way, for the child of a noisy-AND."""
        if cause.parent is None:
            return "with all that is needed"
        parent = self.parents[cause.parent]
        present = presence_of(parent)
        if present is not None and cause.state != present:
            return f"without {parent.name}"
        return f"with {state_words(parent, cause.state)}"

    def _moves(self, cause: Cause, level: int) -> str:
        """Return what a cause does to a child of more than two states."""
        name, labels = self.child.name, self.child.states
        states = self.model.level_states(self.child.state_count)[1:]
        rises = self.model.effect is Effect.MAX
        verb, most = ("raises", "at most") if rises else ("lowers", "at least")
        who = self.cause(cause) or _ELSE
        label = labels[states[level - 1]]
        if level == len(states):
            return f"{who} {verb} {name} to {label}"
        return f"where {name} is {most} {label}, {who} {verb} it to {label}"


def presence_of(variable: Variable) -> int | None:
    """Return which state of a binary variable is labelled by a word for presence, if any is."""
    if not variable.is_binary:
        return None
    return place_of_present((variable.states[0], variable.states[1]))


def _listed(names: Sequence[str]) -> str:
    """Return names as in "a, b and c"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
