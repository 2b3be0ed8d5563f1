"""The scripts behind the results pages: what each has stored, writes and draws."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.calibration import figures as calibration_figures
from benchmarks.calibration import page as calibration_page
from benchmarks.calibration import plan as calibration_plan
from benchmarks.gaps import figure as gaps_figure
from benchmarks.gaps import page as gaps_page
from benchmarks.gaps import plan as gaps_plan
from benchmarks.grid import figures as grid_figures
from benchmarks.grid import page as grid_page
from benchmarks.grid import plan as grid_plan
from benchmarks.harness import learning_jobs
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results, stored_results
from benchmarks.harness.pages import IMAGES, as_page
from benchmarks.heldout import figures as heldout_figures
from benchmarks.heldout import page as heldout_page
from benchmarks.heldout import plan as heldout_plan
from benchmarks.paper.table1 import figure as table1_figure
from benchmarks.paper.table1 import page as table1_page
from benchmarks.paper.table1 import stored as table1_stored
from benchmarks.paper.table2 import figures as table2_figures
from benchmarks.paper.table2 import page as table2_page
from benchmarks.paper.table2 import statistics as table2_statistics
from benchmarks.paper.table3 import crossed as table3_crossed
from benchmarks.paper.table3 import figure as table3_figure
from benchmarks.paper.table3 import page as table3_page
from benchmarks.race import figures as race_figures
from benchmarks.race import jobs as race_jobs
from benchmarks.race import page as race_page
from benchmarks.race.large import figures as large_figures
from benchmarks.race.large import page as large_page
from benchmarks.race.large import statistics as large_statistics
from benchmarks.recovery import figure as recovery_figure
from benchmarks.recovery import page as recovery_page
from benchmarks.recovery import plan as recovery_plan
from benchmarks.relations import figure as relations_figure
from benchmarks.relations import page as relations_page
from benchmarks.relations import plan as relations_plan
from benchmarks.report.summary_figures import summary_figures
from benchmarks.study import figures as study_figures
from benchmarks.study import page as study_page
from benchmarks.study import plan as study_plan
from benchmarks.timings import learn, scoring, states

ORIGIN_COLUMNS = ("commit", "noisyor", "python", "numpy", "highspy", "machine")


@dataclass(frozen=True, slots=True)
class Part:
    """A script, its stored results, their provenance, and the function that makes its page."""

    name: str
    title: str
    results: Results
    origins: list[Results]
    write: Callable[[Results], str]
    draw: Callable[[Results, Path], list[Path]]

    @property
    def is_stored(self) -> bool:
        """Whether there is anything to show."""
        return any(self.results.values())

    def page(self, images: Path) -> str:
        """Return the page on the script's results, or the command that makes them.

        Figures that the script has drawn but not placed come at the end.
        """
        if not self.is_stored:
            return f"# {self.title}\n\nNot stored yet; `make {self.name}` makes it.\n"
        text = self.write(self.results)
        names = [path.name for path in sorted(images.glob(f"{self.name}-*.svg"))]
        left = [name for name in names if f"/{name})" not in text]
        pictures = [f"![{name.removesuffix('.svg')}]({IMAGES}/{name})" for name in left]
        return as_page(text, *pictures)

    def figures(self, folder: Path) -> list[Path]:
        """Write the script's figures into a folder and return their paths."""
        return self.draw(self.results, folder) if self.is_stored else []


def unique_origins(*paths: Path) -> list[Results]:
    """Return the provenance of the results in some files, each origin once."""
    origins = [origin for path in paths for origin in origins_of(path)]
    return list({tuple(sorted(origin.items())): origin for origin in origins}.values())


def origins_of(path: Path) -> list[Results]:
    """Return the provenance of the results in a file."""
    if path.suffix == ".jsonl":
        return KeptResults(path).provenances()
    return list(origins_in(stored_results(path)))


def all_parts() -> list[Part]:
    """Return all scripts, in the order of the list of pages."""
    return [
        Part(
            "table1",
            "Table 1: recovery of noisy-OR parameters",
            KeptResults(table1_stored.RESULTS).results(),
            unique_origins(table1_stored.RESULTS),
            table1_page.section,
            table1_figure.figures,
        ),
        Part(
            "table2",
            "Table 2: all sixteen data sets",
            table2_statistics.usable(table2_statistics.stored()),
            unique_origins(learn.RESULTS, scoring.RESULTS, table2_statistics.EMULATED),
            table2_page.section,
            table2_figures.figures,
        ),
        Part(
            "table3",
            "Table 3: inference error",
            table3_crossed.stored(),
            unique_origins(learning_jobs.RESULTS, table3_crossed.RESULTS),
            table3_page.section,
            table3_figure.figures,
        ),
        Part(
            "study",
            "Study: structures, held-out records, credible arcs",
            study_plan.stored_study(),
            unique_origins(study_plan.RANDOM_RESULTS, learning_jobs.RESULTS),
            study_page.section,
            study_figures.figures,
        ),
        Part(
            "heldout",
            "What are relations worth on real data?",
            KeptResults(heldout_plan.RESULTS).results(),
            unique_origins(heldout_plan.RESULTS),
            heldout_page.section,
            heldout_figures.figures,
        ),
        Part(
            "grid",
            "When do relations pay?",
            KeptResults(grid_plan.RESULTS).results(),
            unique_origins(grid_plan.RESULTS),
            grid_page.section,
            grid_figures.figures,
        ),
        Part(
            "relations",
            "Which relations should compete?",
            relations_plan.stored_jobs(),
            unique_origins(relations_plan.RESULTS, relations_plan.ADDED_RESULTS),
            relations_page.section,
            relations_figure.figures,
        ),
        Part(
            "calibration",
            "Which weights can be believed?",
            calibration_plan.stored_jobs(),
            unique_origins(calibration_plan.RESULTS),
            calibration_page.section,
            calibration_figures.figures,
        ),
        Part(
            "gaps",
            "Records with gaps",
            KeptResults(gaps_plan.RESULTS).results(),
            unique_origins(gaps_plan.RESULTS),
            gaps_page.section,
            gaps_figure.draw,
        ),
        Part(
            "states",
            "Tables of any states",
            stored_results(states.RESULTS),
            unique_origins(states.RESULTS),
            states.page,
            _no_figures,
        ),
        Part(
            "race",
            "Race against other programs",
            stored_results(race_jobs.RESULTS),
            unique_origins(race_jobs.RESULTS),
            race_page.section,
            race_figures.figures,
        ),
        Part(
            "large",
            "Race of many variables",
            KeptResults(large_statistics.RESULTS).results(),
            unique_origins(large_statistics.RESULTS),
            large_page.section,
            large_figures.figures,
        ),
        Part(
            "recovery",
            "Recovery of 20 to 200 variables, and where proofs stop",
            recovery_plan.stored_jobs(),
            unique_origins(recovery_plan.RESULTS),
            recovery_page.section,
            recovery_figure.figures,
        ),
    ]


def stored_by_script(parts: list[Part]) -> dict[str, Results]:
    """Return the results of the scripts that have any, by the script's name."""
    return {part.name: part.results for part in parts if part.is_stored}


def _no_figures(_results: Results, _folder: Path) -> list[Path]:
    return []


def origins_in(results: Results) -> Iterator[Results]:
    """Yield the provenance of each result, at any depth."""
    for value in results.values():
        if not isinstance(value, dict):
            continue
        if "provenance" in value:
            yield value["provenance"]
        elif {"version", "machine"} <= set(value):  # older results have no commit
            yield {"noisyor": value["version"], "machine": value["machine"]}
        else:
            yield from origins_in(value)


def origins_table(parts: list[Part]) -> str:
    """Return which commit, versions and machine the results of each part were made with."""
    return table(
        ("part", *ORIGIN_COLUMNS),
        [
            (part.name, *(str(origin.get(column, "-")) for column in ORIGIN_COLUMNS))
            for part in parts
            if part.is_stored
            for origin in part.origins
        ],
        left=1 + len(ORIGIN_COLUMNS),
    )


def draw_all(parts: list[Part], folder: Path) -> None:
    """Write all figures, and delete those that no page has any more."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {path.name for part in parts for path in part.figures(folder)}
    drawn |= {path.name for path in summary_figures(stored_by_script(parts), folder)}
    for path in folder.glob("*.svg"):
        if path.name not in drawn:
            path.unlink()
