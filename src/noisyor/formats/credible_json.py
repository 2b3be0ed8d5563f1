"""A credible set as JSON, without its members, which `member_files` writes.

The count may exceed what a double holds, so it is written as a whole number.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import inf

import numpy as np

from noisyor.core import BayesFactor, CredibleSet, Family, MismatchError, Structure
from noisyor.core.credible_set import FamilyUse, Labels, MemberBatch, Members
from noisyor.core.layers import Layer
from noisyor.core.relations import relation_named
from noisyor.core.sampling import SampledMembers, Sampling
from noisyor.core.variable_sets import set_of
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.formats.member_files import StoredMembers
from noisyor.formats.network_parts_json import VERSION, check_kind

KIND = "noisyor credible set"
_MOST_DRAWS = 2**31 - 1  # of one network or batch: the sums of all stay exact


def credible_json(credible: CredibleSet) -> str:
    """Return a credible set, except its members, as JSON text."""
    places = {use.family: place for place, use in enumerate(credible.families)}
    return document_text(
        {
            "format": KIND,
            "version": VERSION,
            "names": list(credible.names),
            "bayes_factor": credible.bayes_factor.value,
            "temperature": credible.bayes_factor.temperature,
            "labels": str(credible.labels),
            "optimum": float(credible.optimum),
            "lower_bound": float(credible.lower_bound),
            "count": credible.count,
            "most": credible.most,
            "shortfalls": list(credible.shortfalls),
            "notes": list(credible.notes),
            "layers": [asdict(layer) for layer in credible.layers],
            "sampling": None if credible.sampling is None else _sampling_to_json(credible.sampling),
            "best": [places[family] for family in credible.best.families],
            "families": [_family_to_json(use, credible.names) for use in credible.families],
        }
    )


def parse_credible_json(text: str, stored: StoredMembers) -> CredibleSet:
    """Return the set in a JSON text; `stored` holds all or some of its members."""
    document = read_document(text)
    check_kind(document, KIND)
    fields = document.fields(
        *("format", "version", "names", "bayes_factor", "temperature", "labels", "optimum"),
        "lower_bound",
        *("count", "most", "shortfalls", "notes", "layers", "sampling", "best", "families"),
    )
    names = tuple(one.text() for one in fields["names"].entries())
    number = {name: place for place, name in enumerate(names)}
    uses = tuple(_family(one, number) for one in fields["families"].entries())
    families = [use.family for use in uses]
    if names != stored.names or tuple(families) != stored.families:
        raise MismatchError("the credible set and the file of its members are not of the same run")
    places = fields["best"].whole_numbers(0, len(uses) - 1)
    most = fields["most"]
    said = fields["sampling"]
    sampling = None if said.value is None else _sampling(said, len(uses))
    with complaints_at(document):
        factor = BayesFactor(fields["bayes_factor"].number(), fields["temperature"].number())
        try:
            return CredibleSet(
                names=names,
                bayes_factor=factor,
                labels=Labels.of(fields["labels"].text()),
                best=Structure(names, tuple(families[place] for place in places)),
                optimum=fields["optimum"].number(),
                lower_bound=fields["lower_bound"].number(),
                count=fields["count"].whole_number(1),
                families=uses,
                members=_members(stored, sampling, factor.temperature),
                most=None if most.value is None else most.whole_number(1),
                shortfalls=tuple(one.text() for one in fields["shortfalls"].entries()),
                notes=tuple(one.text() for one in fields["notes"].entries()),
                layers=tuple(map(layer_from_json, fields["layers"].entries())),
                sampling=sampling,
            )
        except ValueError as error:
            raise document.wrong(f"contradicts itself: {error}") from error


def layer_from_json(place: JsonPlace) -> Layer:
    """Return a layer, or refuse one that contradicts itself."""
    fields = place.fields("max_parents", "optimum", "lower_bound")
    try:
        return Layer(
            fields["max_parents"].whole_number(0),
            fields["optimum"].number(),
            fields["lower_bound"].number(),
        )
    except ValueError as error:
        raise place.wrong(f"contradicts itself: {error}") from error


def _members(stored: StoredMembers, sampling: Sampling | None, temperature: float) -> Members:
    """Return the members of a file; those of a sample are drawn as often as the chains drew them.

    If the file holds only some of them, `SavedMembers` refuses what needs the others.
    """
    if sampling is None or len(stored) != len(sampling.times):
        return SavedMembers(stored)
    return SampledMembers(stored.members, stored.costs, sampling.times, temperature)


def _sampling_to_json(sampling: Sampling) -> dict[str, object]:
    """Return how a set was sampled; `batches` has a list per family, one count for each batch."""
    return {
        "seed": sampling.seed,
        "chains": sampling.chains,
        "spacing": sampling.spacing,
        "r_hat": sampling.r_hat,
        "effective": sampling.effective,
        "times": sampling.times.tolist(),
        "batches": sampling.batches.T.tolist(),
    }


def _sampling(place: JsonPlace, families: int) -> Sampling:
    fields = place.fields("seed", "chains", "spacing", "r_hat", "effective", "times", "batches")
    counts = [one.whole_numbers(0, _MOST_DRAWS) for one in fields["batches"].entries()]
    if len(counts) != families or len({len(one) for one in counts}) != 1:
        raise fields["batches"].wrong(
            f"has {len(counts)} lists; it must have {families}, one of the same length per family"
        )
    r_hat = fields["r_hat"]
    with complaints_at(place):
        try:
            return Sampling(
                seed=fields["seed"].whole_number(0),
                chains=fields["chains"].whole_number(1),
                spacing=fields["spacing"].whole_number(1),
                times=np.array(fields["times"].whole_numbers(0, _MOST_DRAWS), dtype=np.int64),
                r_hat=None if r_hat.value is None else r_hat.number(),
                effective=fields["effective"].number(),
                batches=np.array(counts, dtype=np.int64).T,
            )
        except ValueError as error:
            raise place.wrong(f"contradicts itself: {error}") from error


def _family_to_json(use: FamilyUse, names: tuple[str, ...]) -> dict[str, object]:
    return {
        "child": names[use.family.child],
        "parents": [names[parent] for parent in use.family.parent_indices()],
        "relation": use.family.relation.name,
        "cost": float(use.cost),
        "networks": use.networks,
        "weight": float(use.weight),
        "best_with": float(use.best_with) if use.networks else None,
    }


def _family(place: JsonPlace, number: dict[str, int]) -> FamilyUse:
    fields = place.fields("child", "parents", "relation", "cost", "networks", "weight", "best_with")
    named = [fields["child"], *fields["parents"].entries()]
    for one in named:
        if one.text() not in number:
            raise one.wrong(f"is {one.text()!r:.60}, which is not a variable")
    child, *parents = (number[one.text()] for one in named)
    with complaints_at(place):
        try:
            family = Family(child, set_of(parents), relation_named(fields["relation"].text()))
        except ValueError as error:
            raise place.wrong(f"is no family: {error}") from error
    networks = fields["networks"].whole_number(0)
    nobody = not networks and fields["best_with"].value is None
    return FamilyUse(
        family,
        fields["cost"].number(),
        networks,
        fields["weight"].number(),
        inf if nobody else fields["best_with"].number(),
    )


@dataclass(frozen=True, slots=True, eq=False)
class SavedMembers:
    """The members that a file holds; a question that needs the others is refused."""

    stored: StoredMembers

    def stream(self) -> Iterator[MemberBatch]:
        """Yield all members, each once."""
        self._refuse_part("all networks")
        yield MemberBatch(self.stored.members, self.stored.costs)

    def best(self, most: int) -> MemberBatch:
        """Return the members of least cost, in order of cost."""
        self._refuse_part("the best networks")
        order = np.argsort(self.stored.costs, kind="stable")[:most]
        return MemberBatch(self.stored.members[order], self.stored.costs[order])

    def costliest(self) -> MemberBatch:
        """Return one member of greatest cost."""
        self._refuse_part("the costliest network")
        last = int(self.stored.costs.argmax())
        return MemberBatch(self.stored.members[[last]], self.stored.costs[[last]])

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        """Return random members, drawn independently, uniformly or by weight."""
        self._refuse_part("a sample of the networks")
        excess = self.stored.costs - self.stored.costs.min()
        raw = np.exp(-excess / self.stored.bayes_factor.temperature)
        shares = raw / raw.sum() if weighted else None
        rows = np.random.default_rng(seed).choice(len(self.stored), size, p=shares)
        return MemberBatch(self.stored.members[rows], self.stored.costs[rows])

    def _refuse_part(self, wanted: str) -> None:
        if len(self.stored) < self.stored.count:
            raise MismatchError(
                f"{wanted} cannot be found in the file: it holds {len(self.stored)} of "
                f"{self.stored.count} networks. Learn again with a larger max_networks"
            )
