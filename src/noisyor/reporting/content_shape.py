"""The shape of a report's content, which `content` makes and `content_check` enforces.

Variables are named by their numbers, and families by their places in the list. Arcs and a node's
families are sorted by weight, the heaviest first; members by cost. A node's families beyond the
heaviest are summed up as `others`. For `parameters` see `family_content`.

Where the type alone does not say how a value is read from JSON, an annotation does: by a method of
`JsonPlace`, or as a place in one of the content's lists.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from noisyor.core.credible_set import Labels
from noisyor.core.relations import relation_named
from noisyor.formats.json_place import JsonPlace, complaints_at


@dataclass(frozen=True, slots=True)
class PlaceIn:
    """Marks a whole number, or a list of them, as places in the list of this name."""

    key: str


def _relation(place: JsonPlace) -> None:
    with complaints_at(place):
        relation_named(place.text())


def _labels(place: JsonPlace) -> None:
    with complaints_at(place):
        Labels.of(place.text())


def _effect(place: JsonPlace) -> None:
    if place.text() not in EFFECTS:
        raise place.wrong(f"is {place.text()!r:.60}; allowed: {', '.join(EFFECTS)}")


EFFECTS = ("table", "max", "min")
"""How the parameters of a live family are given."""

Share = Annotated[float, JsonPlace.probability]
Shares = Annotated[list[float], JsonPlace.probabilities]
Count = Annotated[int, lambda place: place.whole_number(0)]
RelationName = Annotated[str, _relation]
VariableNumber = Annotated[int, PlaceIn("variables")]
FamilyPlaces = Annotated[list[int], PlaceIn("families")]


class Variable(TypedDict):
    """A column: the labels of its states, and the number of records that have each, if known.

    `presence` is the state that a word for presence labels, such as yes; null if there is none.
    """

    name: str
    states: list[str]
    presence: Count | None
    records: list[Count] | None


class SampleFacts(TypedDict):
    """How many networks were drawn, if the set was sampled, and how well the chains agree.

    `arc_errors` and `family_errors` are the standard errors of the weights in the lists of arcs
    and families.
    """

    draws: Annotated[int, lambda place: place.whole_number(1)]
    chains: Annotated[int, lambda place: place.whole_number(1)]
    r_hat: float | None
    effective: float
    arc_errors: Shares
    family_errors: Shares


class KnownSet(TypedDict):
    """What is known of the credible set; `sampling` is null if it was enumerated."""

    networks: Annotated[int, lambda place: place.whole_number(1)]
    most: Count | None
    complete: bool
    proven: bool
    optimum: float
    lower_bound: float | None
    bayes_factor: float
    temperature: float
    slack: float
    labels: Annotated[str, _labels]
    shortfalls: list[str]
    notes: list[str]
    sampling: SampleFacts | None


class BootstrapFacts(TypedDict):
    """Arc strengths from resampled tables.

    `shares` and `errors` are those of the arcs in the list, in its order: the share of the
    resamples whose best network has the arc, and its standard error. `weights` are the means of the
    weights in the resamples' credible sets that were counted, null if none was. `beyond` are the
    arcs that only resamples have, the most frequent first.
    """

    asked: Annotated[int, lambda place: place.whole_number(1)]
    resamples: Count
    seed: Count
    unproven: Count
    shares: Shares
    errors: list[float]
    weights: Shares | None
    beyond: "list[ArcBeyond]"


class ArcBeyond(TypedDict):
    """An arc that only resamples have."""

    parent: VariableNumber
    child: VariableNumber
    share: Share


class ArcShare(TypedDict):
    """An arc, and the share of the set that has it."""

    parent: VariableNumber
    child: VariableNumber
    networks: Count
    fraction: Share
    weight: Share
    in_best: bool


class TableParameters(TypedDict):
    """A full table, or the rows of it with the most records."""

    kind: Literal["table"]
    configurations: list[Count]
    chances: list[Shares]
    records: list[Count] | None
    left_out: Count


class FitAndPenalty(TypedDict):
    """The parts of a cost: the fit, the score's penalty, and the prior of arcs and relations."""

    fit: float
    penalty: float
    prior: float


class Explained(TypedDict):
    """Intervals of the strengths of causes, and why their relation won or did not."""

    level: Share
    lower: Shares
    upper: Shares
    determined: list[bool]
    own: FitAndPenalty
    table: FitAndPenalty | None
    table_penalty: float
    saving: float
    preferred: bool
    sentences: list[str]


class CauseParameters(TypedDict):
    """Independent causes, with an entry in each list per cause and level of the child."""

    kind: Literal["causes"]
    parents: list[VariableNumber | None]
    states: list[Count]
    effects: list[Count]
    strengths: Shares
    unseen: list[Count]
    left_out: Count
    explained: Explained | None


class OtherParameters(TypedDict):
    """The parameters, in its own order, of a relation that is no table and has no causes."""

    kind: Literal["parameters"]
    values: list[float]


Parameters = TableParameters | CauseParameters | OtherParameters


class FamilyShare(TypedDict):
    """A family with its parameters, and the share of the set that has it."""

    child: VariableNumber
    parents: Annotated[list[int], PlaceIn("variables")]
    relation: RelationName
    cost: float | None
    networks: Count
    weight: Share
    parameters: Parameters
    note: str | None


class Others(TypedDict):
    """The families of a node that are not shown, together."""

    families: Count
    networks: Count
    weight: Share


class Node(TypedDict):
    """What the set says about one variable."""

    relations: dict[RelationName, Share]
    no_parents: Share
    families: FamilyPlaces
    others: Others | None


class Member(TypedDict):
    """A network: the place of each variable's family."""

    cost: float
    families: FamilyPlaces


class LiveFamily(TypedDict):
    """A family's parameters in full precision.

    Those of a `table` are its rows, the first parent varying fastest. Those of `max` and `min` are
    q for each level of the child: for each state of each parent, then for the leak.
    """

    child: VariableNumber
    parents: Annotated[list[int], PlaceIn("variables")]
    effect: Annotated[str, _effect]
    values: Shares


class LiveNetwork(TypedDict):
    """A network that can be asked: its weight, and the place of each variable's live family."""

    weight: Share
    families: Annotated[list[int], PlaceIn("live families")]


class Live(TypedDict):
    """The networks that the page can be asked, the best first.

    `numbers` counts the parameters of the best one; if they are too many, there are no networks.
    The networks have a `share` of the weight of all `count`, or are a sample of so many `draws`.
    """

    families: list[LiveFamily]
    networks: list[LiveNetwork]
    numbers: Count
    count: Annotated[int, lambda place: place.whole_number(1)]
    share: Share
    draws: Count | None


class Content(TypedDict):
    """Everything that a report shows; `run` may have any keys.

    On a single network, `set`, all records and all costs are null, and there are no members.
    """

    format: str
    version: int
    title: str | None
    records: Count | None
    variables: list[Variable]
    set: KnownSet | None
    arcs: list[ArcShare]
    families: list[FamilyShare]
    nodes: list[Node]
    best: FamilyPlaces
    members: list[Member]
    live: Live | None
    bootstrap: BootstrapFacts | None
    tiers: list[Count] | None
    run: dict[str, Any]
