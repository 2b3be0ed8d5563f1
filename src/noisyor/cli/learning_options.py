"""Options of what learns networks: scores, relations, knowledge, method and limits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from noisyor.core import BIC, Knowledge, Relation, Score, SettingsError
from noisyor.core.credible_set import Labels
from noisyor.core.listing import listed
from noisyor.core.relations import relations_from, root_relation
from noisyor.core.request import DEFAULT_BAYES_FACTOR
from noisyor.core.score import ALLOWED, score_named
from noisyor.formats.knowledge_files import read_knowledge
from noisyor.runs.learned import Method
from noisyor.search import BoundKind

_ARROW = "->"
_EDGE = f"A{_ARROW}B"
MaxParentsOption = Annotated[
    int | None,
    typer.Option(
        "--max-parents", metavar="K", help="The most parents of a node. Default: no limit."
    ),
]
BayesFactorOption = Annotated[
    float,
    typer.Option(
        "--bayes-factor",
        metavar="FACTOR",
        help="How many times less likely than the best network a credible one may be.",
    ),
]
TemperatureOption = Annotated[
    float,
    typer.Option(
        "--temperature",
        metavar="T",
        help="Divide differences of costs by T, for weights and for the Bayes factor; 'noisyor "
        "calibrate' finds one.",
    ),
]
BootstrapOption = Annotated[
    int | None,
    typer.Option(
        "--bootstrap",
        metavar="B",
        help="Learn from B resampled tables as well, and say how often the best network of one has "
        "each edge.",
    ),
]
ScoreOption = Annotated[
    str,
    typer.Option("--score", metavar="NAME", help=f"How networks are compared: {ALLOWED}."),
]
RelationsOption = Annotated[
    str | None,
    typer.Option(
        "--relations",
        metavar="NAMES",
        help="The relations that compete, separated by commas: cpt, noisy-or, noisy-and, leaky-, "
        "signed-; or a group: default (cpt, leaky-noisy-or), paper (cpt, noisy-or), all.",
    ),
]
PaperOption = Annotated[
    bool, typer.Option("--paper", help="The paper's relations: the same as --relations paper.")
]
BoundsOption = Annotated[
    BoundKind,
    typer.Option(
        "--bounds", help="Whether a linear program guides the search; the result is the same."
    ),
]
LabelsOption = Annotated[
    Labels,
    typer.Option(
        "--labels",
        help="Count each graph once, with the best relation at each node, or with every choice of "
        "relations.",
    ),
]
ForbidOption = Annotated[
    list[str] | None,
    typer.Option("--forbid", metavar=_EDGE, help="A forbidden edge; may be repeated."),
]
RequireOption = Annotated[
    list[str] | None,
    typer.Option("--require", metavar=_EDGE, help="A required edge; may be repeated."),
]
MethodOption = Annotated[
    Method,
    typer.Option(
        "--method",
        help="Score all families first, or only what the search asks for; the result is the same.",
    ),
]
KnowledgeOption = Annotated[
    Path | None,
    typer.Option(
        "--knowledge",
        metavar="FILE",
        help="Background knowledge: required, forbidden, tiers, roots, sinks and max_parents, in a "
        ".toml or .yaml file. --require, --forbid and --max-parents add to it.",
    ),
]


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What networks are compared by."""

    bayes_factor: BayesFactorOption = DEFAULT_BAYES_FACTOR
    score: ScoreOption = BIC.name
    relations: RelationsOption = None
    paper: PaperOption = False

    def chosen_score(self) -> Score:
        """Return the score of that name."""
        return score_named(self.score)

    def chosen_relations(self) -> tuple[Relation, ...] | None:
        """Return the relations that --relations or --paper ask for; None if neither does."""
        if self.paper and self.relations is not None:
            raise SettingsError(
                "--paper and --relations both choose the relations; give one of them"
            )
        if self.relations is None:
            return relations_from("paper") if self.paper else None
        chosen = [name.strip() for name in self.relations.split(",") if name.strip()]
        if not chosen:
            raise SettingsError(f"--relations is empty; it must name at least {root_relation()}")
        return relations_from(chosen)


@dataclass(frozen=True, slots=True)
class KnowledgeOptions:
    """What is known about the network."""

    knowledge: KnowledgeOption = None
    max_parents: MaxParentsOption = None
    forbid: ForbidOption = None
    require: RequireOption = None

    def stated(self) -> "StatedKnowledge":
        """Return what the options say together, or refuse what is wrong in any table."""
        path, max_parents = self.knowledge, self.max_parents
        known = Knowledge() if path is None else read_knowledge(path)
        if None not in {max_parents, known.max_parents} and max_parents != known.max_parents:
            raise SettingsError(
                f"--max-parents is {max_parents}, but {path} has max_parents {known.max_parents}; "
                "give it in one place only"
            )
        if max_parents is not None:
            known = replace(known, max_parents=max_parents)
        return StatedKnowledge(known, self.forbid or (), self.require or ())


@dataclass(frozen=True, slots=True)
class StatedKnowledge:
    """What is known of any table, and edges as text, which depend on the names of variables."""

    known: Knowledge
    forbid: Iterable[str]
    require: Iterable[str]

    def among(self, names: Sequence[str]) -> Knowledge:
        """Return what is known about variables of these names."""
        return replace(
            self.known,
            required=(*self.known.required, *edges(self.require, names, "--require")),
            forbidden=(*self.known.forbidden, *edges(self.forbid, names, "--forbid")),
        )


def edges(given: Iterable[str] | None, names: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Return the (parent, child) pairs of a repeated A->B option; a name may have an arrow."""
    return [_edge(text, names, option) for text in given or ()]


def _edge(text: str, names: Sequence[str], option: str) -> tuple[str, str]:
    parts = text.split(_ARROW)
    splits = [
        (_ARROW.join(parts[:place]).strip(), _ARROW.join(parts[place:]).strip())
        for place in range(1, len(parts))
    ]
    found = [(parent, child) for parent, child in splits if parent in names and child in names]
    if len(found) != 1:
        raise SettingsError(
            f"{option} is {text!r}; it must look like {_EDGE}, with variables of the table: "
            f"{listed(names)}"
        )
    return found[0]
