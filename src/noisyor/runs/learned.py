"""The result of learning, and everything that can be done with it."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from noisyor.core import (
    BIC,
    CredibleSet,
    Dataset,
    Member,
    MismatchError,
    Network,
    NetworkSet,
    Prior,
    Score,
    ScoreTable,
    Structure,
)
from noisyor.core.arguments import checked_arguments
from noisyor.core.bootstrap import Bootstrap
from noisyor.core.choices import choice_of
from noisyor.core.left_out_columns import LeftOutColumn, left_out_lines, left_out_summary
from noisyor.core.listing import counted
from noisyor.core.machine import peak_memory
from noisyor.core.score import score_named
from noisyor.core.version import VERSION
from noisyor.data.binning import Binning
from noisyor.files.whole import write_whole
from noisyor.formats.bootstrap_json import bootstrap_content
from noisyor.formats.credible_json import SavedMembers
from noisyor.inference import AveragedPosteriors, average
from noisyor.inference.evidence import Finding
from noisyor.networks import fit_members, fit_network
from noisyor.networks.arcs import ArcStrength, arc_strength, averaged_network
from noisyor.networks.parameters import FEW_MEMBERS
from noisyor.networks.relation_shares import RelationShares, relation_shares
from noisyor.runs.folder import (
    MOST_MEMBERS,
    RunFiles,
    open_saved,
    used_alone,
    write_run,
    write_summary,
)
from noisyor.runs.missing_cells import APPROXIMATE, MissingCells
from noisyor.runs.summaries import credible_summary, step_seconds
from noisyor.runs.work import ClimbedWork, TableWork


class Method(StrEnum):
    """How the credible networks are found; every method that ends finds the same ones."""

    AUTO = "auto"  # the method that is likely to be faster
    TABLE = "table"  # score all families that pruning keeps, then search the table
    PRICE = "price"  # score and search in one loop, only families of possible credible networks
    LAYERS = "layers"  # climb to a good network, then prove by price with 1, 2, 3, ... parents

    @classmethod
    def of(cls, name: str) -> "Method":
        """Return the method of this name."""
        return choice_of(cls, name, "method")


@dataclass(frozen=True, eq=False)
class Learned:
    """A credible set, the records that it was learned from, and how it was found.

    `settings` are the options of the run by name. `table` holds the families that were searched,
    `seconds` the time of each step, and `work` the statistics of scoring and search. `binning` has
    the bins of the columns of numbers, to read new data the same way. `missing` has what was done
    about missing cells, if there were any, `columns_left_out` the columns that were not learned
    from, and `bootstrap` the arc strengths from resampled tables, if they were asked for.
    `interrupted` is whether Ctrl-C ended the learning. A result loaded from a folder has the
    `saved` files instead of records and statistics.
    """

    credible: CredibleSet
    settings: tuple[tuple[str, str], ...]
    method: Method
    data: Dataset | None = None
    table: ScoreTable | None = field(default=None, repr=False)
    seconds: Mapping[str, float] = field(default_factory=dict, repr=False)
    work: TableWork | ClimbedWork | None = field(default=None, repr=False)
    saved: RunFiles | None = field(default=None, repr=False)
    binning: Binning = field(default_factory=Binning, repr=False)
    missing: MissingCells | None = field(default=None, repr=False)
    columns_left_out: tuple[LeftOutColumn, ...] = field(default=(), repr=False)
    bootstrap: Bootstrap | None = field(default=None, repr=False)
    interrupted: bool = field(default=False, repr=False)

    def __repr__(self) -> str:
        """Return the result in one line."""
        return f"Learned({self._words()})"

    def _words(self) -> str:
        names = len(self.credible.names)
        what = "credible network" if self.complete else "known network"
        found = f"{counted(self.count, what)} of {counted(names, 'variable')}"
        how = "complete" if self.complete else "incomplete"
        label = "" if self.approximate is None else f", {APPROXIMATE}"
        return f"{found}, optimum {self.optimum:.6f}, {how}{label}"

    def _repr_html_(self) -> str:
        """Return the averaged picture and the arcs for notebooks."""
        from noisyor.reporting.notebook import set_html  # noqa: PLC0415  (slow, seldom used)

        tiers = None if self.table is None else self.table.scope.constraints.tiers()
        html: str = set_html(self.credible, self.best, self._words(), tiers)
        return html

    @cached_property
    def best(self) -> Network:
        """The best network, with its parameters."""
        return self.saved.best if self.saved is not None else self.best_network()

    @property
    def score(self) -> Score:
        """The score that the networks were learned by; BIC for a saved run that names none."""
        return score_named(dict(self.settings).get("score", BIC.name))

    @property
    def structure_prior(self) -> Prior:
        """The prior of arcs and relations that the networks were learned with."""
        return Prior.parse(dict(self.settings).get("structure_prior", "none"))

    @property
    def optimum(self) -> float:
        """The cost of the best network, in nats."""
        return self.credible.optimum

    @property
    def lower_bound(self) -> float:
        """A proven lower bound on the cost of any network; `optimum` unless a limit was hit."""
        return self.credible.lower_bound

    @property
    def count(self) -> int:
        """The number of credible networks: exact if complete, else those known."""
        return self.credible.count

    @property
    def complete(self) -> bool:
        """Whether the optimum is proven and the count exact."""
        return self.credible.complete

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """The limits that were hit and what they leave open, one line each."""
        return self.credible.shortfalls

    @property
    def members_held(self) -> int:
        """The number of credible networks at hand: all, unless only some of them were saved."""
        members = self.credible.members
        return len(members.stored) if isinstance(members, SavedMembers) else self.count

    @property
    def approximate(self) -> str | None:
        """Why the set is approximate: it was learned from completed records; None if it is not."""
        return next((one for one in self.credible.notes if one.startswith(APPROXIMATE)), None)

    def with_missing(self, missing: MissingCells) -> "Learned":
        """Return the result with what was done about missing cells, in its settings and notes.

        It is complete only if that was done completely.
        """
        credible = replace(
            self.credible,
            notes=(*self.credible.notes, *missing.notes()),
            shortfalls=(*self.credible.shortfalls, *missing.shortfalls()),
            most=self.count if self.complete else self.credible.most,
        )
        return replace(
            self,
            credible=credible,
            settings=(*self.settings, *missing.settings()),
            missing=missing,
        )

    def with_columns_left_out(self, columns: tuple[LeftOutColumn, ...]) -> "Learned":
        """Return the result with the columns that were not learned from, also in its notes."""
        notes = (*self.credible.notes, *left_out_lines(columns))
        credible = replace(self.credible, notes=notes) if columns else self.credible
        return replace(self, credible=credible, columns_left_out=columns)

    def with_notes(self, notes: tuple[str, ...]) -> "Learned":
        """Return the result with more notes, one line each."""
        own = (*self.credible.notes, *notes)
        return replace(self, credible=replace(self.credible, notes=own))

    @checked_arguments
    def best_members(self, most: int) -> list[Member]:
        """Return the best credible networks in order of cost.

        Parameters
        ----------
        most
            The most networks that are returned.

        """
        return self.credible.best_members(most)

    def members(self) -> Iterator[Member]:
        """Yield every credible network once, in no particular order."""
        return self.credible.stream()

    def arc_strength(self) -> tuple[ArcStrength, ...]:
        """Return how strongly the credible networks support each arc."""
        return arc_strength(self.credible)

    @checked_arguments
    def averaged_network(self, threshold: float = 0.5) -> Structure:
        """Return the graph of the arcs that the credible networks support most.

        Parameters
        ----------
        threshold
            The strength that a pair of variables must exceed to be joined; see
            `arc_strength`.

        """
        return averaged_network(self.credible, threshold)

    def relations(self) -> RelationShares:
        """Return how often each node is a noisy-OR, as in the paper's table 2."""
        return relation_shares(self.credible)

    @checked_arguments
    def best_network(self, *, prior: float = 0.0) -> Network:
        """Return the best network with its parameters.

        Parameters
        ----------
        prior
            Records of each state that are added to every configuration; see `fit_network`.

        """
        data = self._records("other parameters than the saved ones")
        return fit_network(
            data,
            self.credible.best,
            score=self.score,
            prior=prior,
            structure_prior=self.structure_prior,
            settings=self.settings,
        )

    @checked_arguments
    def networks(self, *, most: int = FEW_MEMBERS, seed: int = 0, prior: float = 0.0) -> NetworkSet:
        """Return the credible networks with parameters: all, or a sample if more than `most`.

        See `fit_members`. A result loaded from a folder has the saved networks and no others.

        Parameters
        ----------
        most
            The most networks that are returned.
        seed
            The seed of the sample.
        prior
            Records of each state that are added to every configuration; see `fit_network`.

        """
        if self.saved is not None and (most, seed, prior) == (FEW_MEMBERS, 0, 0.0):
            return self.saved.networks
        data = self._records("other networks than the saved ones")
        return fit_members(
            data,
            self.credible,
            most=most,
            seed=seed,
            score=self.score,
            prior=prior,
            structure_prior=self.structure_prior,
            settings=self.settings,
        )

    @checked_arguments
    def query(
        self, targets: Iterable[str] | None = None, given: Mapping[str, Finding] | None = None
    ) -> AveragedPosteriors:
        """Return the posteriors of the targets given the evidence, averaged over the networks.

        Parameters
        ----------
        targets
            Names of variables; by default all that were not observed.
        given
            The evidence: the observed state of each variable, by name. A number of a column that
            was put into bins stands for the bin that holds it. See `average`.

        """
        findings = {
            name: self.binning.label_of(name, finding) or finding
            for name, finding in (given or {}).items()
        }
        return average(self._networks, targets, findings)

    @cached_property
    def _networks(self) -> NetworkSet:
        return self.networks()

    def summary(self) -> dict[str, object]:
        """Return the result and how it was found, as JSON types."""
        if self.saved is not None:
            return dict(self.saved.summary)
        data = self._records("a summary")
        return {
            "noisyor": VERSION,
            "records": data.record_count,
            "columns_left_out": left_out_summary(self.columns_left_out),
            "without_order": list(data.without_order()),
            "method": str(self.method),
            **credible_summary(self.credible),
            **self._work_summary(),
            **({} if self.missing is None else {"missing": self.missing.summary()}),
            **({} if self.bootstrap is None else {"bootstrap": bootstrap_content(self.bootstrap)}),
            "settings": dict(self.settings),
            "memory_mib": round(peak_memory() / 2**20),
        }

    def _work_summary(self) -> dict[str, object]:
        said: dict[str, object] = {"seconds": step_seconds(self.seconds)}
        if self.work is not None and self.table is not None:
            said |= self.work.summary(self.table)
        return said

    def report_content(self) -> dict[str, object]:
        """Return the contents of the report, as JSON types."""
        if self.saved is not None:
            return dict(self.saved.report)
        from noisyor.reporting.content import report_content  # noqa: PLC0415  (slow, seldom used)

        data = self._records("a report")
        return report_content(
            self.credible,
            data,
            self.summary(),
            networks=self._networks,
            score=self.score,
            structure_prior=self.structure_prior,
            bootstrap=self.bootstrap,
            constraints=None if self.table is None else self.table.scope.constraints,
        )

    def _page(self, content: Mapping[str, object]) -> str:
        from noisyor.reporting.page import report_html  # noqa: PLC0415  (slow, seldom used)

        page: str = report_html(content)
        return page

    @checked_arguments
    def report(self, path: str | Path) -> None:
        """Write the report: one HTML file that needs nothing else.

        Parameters
        ----------
        path
            The file to write.

        """
        write_whole({Path(path): self._page(self.report_content()).encode()})

    @checked_arguments
    def save(
        self,
        folder: str | Path,
        *,
        most_members: int = MOST_MEMBERS,
        until: float | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> "Learned":
        """Write everything but the records to a folder, which `load` reads.

        Parameters
        ----------
        folder
            A folder that is new, empty, or holds an earlier saved result. One that another run is
            using is refused.
        most_members
            The most networks that are written to the file of members.
        until
            The time, on the clock of time.monotonic(), after which no more members are written.
            A few are always written.
        tell
            Called with a word or two before each step of the writing.

        Returns
        -------
        Learned
            The same result, with the seconds that writing took.

        """
        with used_alone(Path(folder)):
            open_saved(Path(folder))
            return self.save_alone(Path(folder), most_members=most_members, until=until, tell=tell)

    def save_alone(
        self,
        folder: Path,
        *,
        most_members: int,
        until: float | None,
        tell: Callable[[str], None] | None,
    ) -> "Learned":
        """Like `save`, but the caller already holds the folder lock."""
        started = time.monotonic()
        tell = tell or (lambda _: None)
        files = self._files(tell)
        tell("files")
        said = write_run(folder, files, self.credible, self.table, most=most_members, until=until)
        took = time.monotonic() - started
        total = self.seconds.get("total", 0.0) + took
        result = replace(self, seconds={**self.seconds, "write": took, "total": total})
        write_summary(folder, {**result.summary(), **said})
        return result

    def _files(self, tell: Callable[[str], None]) -> RunFiles:
        if self.saved is not None:
            return self.saved
        tell("networks with parameters")
        networks = self._networks
        tell("report")
        content = self.report_content()
        page = self._page(content)
        return RunFiles(
            self.summary(), self.best, networks, content, page, self.binning, self.bootstrap
        )

    def _records(self, what: str) -> Dataset:
        if self.data is None:
            raise MismatchError(
                f"{what} cannot be made: a saved run does not keep its records; learn again"
            )
        return self.data
