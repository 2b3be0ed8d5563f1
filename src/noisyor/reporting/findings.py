"""What a report found, in a few plain sentences, the most telling first.

A sentence is a list of parts; a part that is a name is marked, since names may hold any text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from noisyor.core.relations import Cause, relation_named
from noisyor.core.variable import Variable
from noisyor.networks.cause_words import CauseWords
from noisyor.reporting.words import count_words, counted, share_words

MOST = 10
"""The most sentences."""

_MOST_DEPENDENCES, _MOST_OTHERS = 7, 3  # of one kind, so that the kinds mix
_MOST_NAMES = 6  # written out in one sentence
_HALF = 0.5
_DOUBT = 0.1  # of the weight: an arc whose reverse has more is not settled
_LINK = 0.9  # of the weight, of an arc and its reverse together

Json = Mapping[str, Any]


class Part(NamedTuple):
    """A piece of a sentence, which is a name or plain words."""

    text: str
    is_name: bool = False


Sentence = list[Part]


def findings(content: Json) -> list[Sentence]:
    """Return at most ten sentences on a report's content."""
    found = _Findings(content)
    dependences = found.dependences()
    others = [
        *found.directions()[:_MOST_OTHERS],
        *found.open_choices()[:_MOST_OTHERS],
        *found.unlinked(),
    ]
    first = found.settled()
    room = max(_MOST_DEPENDENCES, MOST - len(first) - len(others))
    return [*first, *dependences[:room], *others][:MOST]


@dataclass(frozen=True)
class _Findings:
    content: Json

    @cached_property
    def weights(self) -> dict[tuple[int, int], float]:
        return {(arc["parent"], arc["child"]): arc["weight"] for arc in self.content["arcs"]}

    @cached_property
    def certain(self) -> set[tuple[int, int]]:
        """The arcs that all networks have."""
        known = self.content["set"]
        total = 1 if known is None else known["networks"]
        return {
            (arc["parent"], arc["child"])
            for arc in self.content["arcs"]
            if arc["networks"] == total
        }

    @property
    def is_alone(self) -> bool:
        known = self.content["set"]
        return bool(known is None or known["networks"] == 1)

    def settled(self) -> list[Sentence]:
        """Say how much of the best network is in all networks."""
        arcs = [arc for arc in self.content["arcs"] if arc["in_best"]]
        if self.is_alone or not arcs:
            return []
        certain = sum((arc["parent"], arc["child"]) in self.certain for arc in arcs)
        if not certain:
            return [[Part(f"No arc is in {self._all()}.")]]
        which = "All" if certain == len(arcs) > 1 else f"{count_words(certain)} of the"
        verb = "is" if certain == 1 else "are"
        of_best = f"{counted(len(arcs), 'arc')} of the best network"
        return [[Part(f"{which} {of_best} {verb} in {self._all()}.")]]

    def dependences(self) -> list[Sentence]:
        """Say what each variable depends on for certain, those with strong causes first."""
        ranked = []
        for child in range(len(self.content["variables"])):
            parents = [one for one in self._strong(child) if not self._is_doubtful(one, child)]
            if parents:
                causes = self._strongest(child, parents)
                sure = all((parent, child) in self.certain for parent in parents)
                rank = (causes is None, not sure, -len(parents), child)
                ranked.append((rank, self._dependence(child, parents, causes)))
        return [sentence for _, sentence in sorted(ranked, key=lambda one: one[0])]

    def directions(self) -> list[Sentence]:
        """Say which variables are linked, but not in which direction."""
        found = []
        for (parent, child), weight in self.weights.items():
            back = self.weights.get((child, parent), 0.0)
            doubtful = parent < child and weight + back >= _LINK and min(weight, back) >= _DOUBT
            if doubtful:
                first, then = (parent, child) if weight >= back else (child, parent)
                share = share_words(max(weight, back))
                found.append(
                    [
                        *self._names([first, then]),
                        Part(" are linked, but the records do not tell the direction: the arc "),
                        *self._name(first),
                        Part(" → "),
                        *self._name(then),
                        Part(f" has {share} of the weight."),
                    ]
                )
        return found

    def open_choices(self) -> list[Sentence]:
        """Say which variables have no likely parents, but several that are possible."""
        found = []
        for child, node in enumerate(self.content["nodes"]):
            if len(node["families"]) <= 1 or self._strong(child):
                continue
            best = self.content["families"][node["families"][0]]
            if best["weight"] >= _HALF:
                continue
            likeliest = self._names(best["parents"]) if best["parents"] else [Part("nothing")]
            found.append(
                [
                    Part("What "),
                    *self._name(child),
                    Part(" depends on is open. The likeliest is "),
                    *likeliest,
                    Part(f", with {share_words(best['weight'])} of the weight."),
                ]
            )
        return found

    def unlinked(self) -> list[Sentence]:
        """Say which variables no network links to any other."""
        linked = {end for arc in self.weights for end in arc}
        alone = [one for one in range(len(self.content["variables"])) if one not in linked]
        if not alone or not linked:
            return []
        verb = "has" if len(alone) == 1 else "have"
        where = "" if self.is_alone else f" in {self._any()}"
        return [[*self._names(alone), Part(f" {verb} no link to any other variable{where}.")]]

    def _dependence(self, child: int, parents: list[int], causes: Sentence | None) -> Sentence:
        sure = [one for one in parents if (one, child) in self.certain]
        likely = [one for one in parents if one not in sure]
        parts = [*self._name(child), Part(" depends on ")]
        if sure:
            parts += self._names(sure)
            if not self.is_alone:
                parts.append(Part(f" in {self._all()}"))
        if likely:
            if sure:
                parts.append(Part(", and on "))
            least = min(self.weights[one, child] for one in likely)
            share = share_words(least)
            at_least = "" if len(likely) == 1 or share == share_words(1.0) else "at least "
            parts += self._names(likely)
            parts.append(Part(f" with {at_least}{share} of the weight"))
        if causes:
            parts += [Part("; "), *causes]
        return [*parts, Part(".")]

    def _strongest(self, child: int, parents: Sequence[int]) -> Sentence | None:
        """Say how strong the strongest cause in the heaviest family is, of those that are known."""
        places = self.content["nodes"][child]["families"]
        family = self.content["families"][places[0]] if places else None
        if family is None or family["parameters"]["kind"] != "causes":
            return None
        own = family["parameters"]
        explained = own["explained"]
        known = [
            at
            for at, parent in enumerate(own["parents"])
            if parent in parents
            and (explained["determined"][at] if explained else at not in own["unseen"])
        ]
        if not known:
            return None
        at = max(known, key=lambda place: own["strengths"][place])
        words = _cause_words(self.content, family)
        level = words.model.level_states(words.child.state_count).index(own["effects"][at])
        place = family["parents"].index(own["parents"][at])
        said = words.statement(Cause(place, own["states"][at], ()), level)
        chance = f"{own['strengths'][at]:.2f}"
        if explained:
            chance += f" ({explained['lower'][at]:.2f} to {explained['upper'][at]:.2f})"
        return [Part(said, is_name=True), Part(f" with probability {chance}")]

    def _strong(self, child: int) -> list[int]:
        """Return the parents with at least half of the weight, the heaviest first."""
        return [parent for (parent, to), w in self.weights.items() if to == child and w >= _HALF]

    def _is_doubtful(self, parent: int, child: int) -> bool:
        return self.weights.get((child, parent), 0.0) >= _DOUBT

    def _all(self) -> str:
        known = self.content["set"]
        if known["sampling"] is not None:
            return f"all {counted(known['networks'], 'sampled network')}"
        what = "credible network" if known["complete"] else "network"
        found = "" if known["complete"] else " that were found"
        return f"all {counted(known['networks'], what)}{found}"

    def _any(self) -> str:
        return f"any of {self._all().removeprefix('all ')}"

    def _name(self, variable: int) -> Sentence:
        return [Part(self.content["variables"][variable]["name"], is_name=True)]

    def _names(self, variables: Sequence[int]) -> Sentence:
        """Return the names with commas, and of many only the first."""
        listed = list(variables[:_MOST_NAMES])
        rest = len(variables) - len(listed)
        parts: Sentence = []
        for at, one in enumerate(listed):
            is_last = at == len(listed) - 1 and not rest
            parts += [Part(" and " if is_last else ", ")] if at else []
            parts += self._name(one)
        return [*parts, Part(f" and {count_words(rest)} more")] if rest else parts


def _cause_words(content: Json, family: Json) -> CauseWords:
    def variable(number: int) -> Variable:
        own = content["variables"][number]
        return Variable(own["name"], tuple(own["states"]))

    model = relation_named(family["relation"]).causes
    if model is None:
        raise TypeError("a relation without causes")
    return CauseWords(variable(family["child"]), tuple(map(variable, family["parents"])), model)
