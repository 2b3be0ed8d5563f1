"""Stored results in the docs: results.md, the five numbers of the README, the relations."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import learning_jobs
from benchmarks.harness.folders import IMAGES_FOLDER, ROOT
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results, stored_results
from benchmarks.paper.table1 import figure as table1_figure
from benchmarks.paper.table1 import page as table1_page
from benchmarks.paper.table1 import stored as table1_stored
from benchmarks.paper.table2 import figures as table2_figures
from benchmarks.paper.table2 import page as table2_page
from benchmarks.paper.table2 import statistics as table2_statistics
from benchmarks.paper.table3 import figure as table3_figure
from benchmarks.paper.table3 import page as table3_page
from benchmarks.race import figures as race_figures
from benchmarks.race import jobs as race_jobs
from benchmarks.race import page as race_page
from benchmarks.race.large import figures as large_figures
from benchmarks.race.large import page as large_page
from benchmarks.race.large import statistics as large_statistics
from benchmarks.relations import page as relations_page
from benchmarks.relations import plan as relations_plan
from benchmarks.report.headlines import HEADLINES
from benchmarks.study import figures as study_figures
from benchmarks.study import page as study_page
from benchmarks.study import plan as study_plan
from benchmarks.timings import learn, scoring, states

PAGE = ROOT / "docs" / "results.md"
README = ROOT / "README.md"
BELIEVING = ROOT / "docs" / "believing-noisy-or.md"
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"
FIRST_WORDS = "In five numbers, each with the command that makes it:"
ORIGIN_COLUMNS = ("commit", "noisyor", "python", "numpy", "highspy", "machine")

INTRODUCTION = """\
# Results

The paper's experiments, repeated with certified fits and a complete search, and further questions.
Every number on this page is written by `python -m benchmarks.report` from the results stored under
`benchmarks/results/`; a test compares the page with what the script writes.

## How to reproduce it

```sh
make table1    # recovery of noisy-OR parameters
make table2    # the sixteen data sets
make table3    # inference error
make study     # structures, held-out records, calibration
make relations # sets of relations that compete
make states    # tables of any states
make race      # other programs, in an environment of their own
make large     # many variables, and other programs
make results   # this page and its figures, from stored results
```

Each command computes the results that are not stored yet. It may be stopped at any time; the next
run resumes. Random numbers are seeded. `python -m benchmarks.paper.table1 --help` explains how to
run a part alone. To repeat everything, delete the results first.

The data are not part of the repository. The commands expect a folder `shared` next to it with
`datasets/` (the sixteen data sets of the paper as CSV), `networks/` (the ground-truth networks as
BIF) and `paper/` (the paper's tables as CSV); options name other folders. If something is missing,
a command says what to put where.

## Provenance

A plus after a commit marks uncommitted changes."""


@dataclass(frozen=True, slots=True)
class Part:
    """A script, its stored results, their provenance, and the function that makes its section."""

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

    def section(self, images: Path) -> str:
        """Return the section on the script's results, or the command that makes them.

        Figures that the script has drawn but not placed come at the end.
        """
        if not self.is_stored:
            return f"## {self.title}\n\nNot stored yet; `make {self.name}` makes it."
        text = self.write(self.results).strip()
        names = [path.name for path in sorted(images.glob(f"{self.name}-*.svg"))]
        left = [name for name in names if f"/{name})" not in text]
        pictures = [f"![{name.removesuffix('.svg')}](images/results/{name})" for name in left]
        return "\n\n".join([text, *pictures])

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
    """Return all parts of the page, in its order."""
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
            unique_origins(learn.RESULTS, scoring.RESULTS),
            table2_page.section,
            table2_figures.figures,
        ),
        Part(
            "table3",
            "Table 3: inference error",
            KeptResults(learning_jobs.RESULTS).results(),
            unique_origins(learning_jobs.RESULTS),
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
            "relations",
            "Which relations should compete?",
            relations_plan.stored_jobs(),
            unique_origins(relations_plan.RESULTS),
            relations_page.section,
            _no_figures,
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
    ]


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


def page(parts: list[Part], images: Path = IMAGES_FOLDER) -> str:
    """Return docs/results.md, given the folder of its figures."""
    texts = [INTRODUCTION, origins_table(parts), *(part.section(images) for part in parts)]
    return "\n\n".join(texts) + "\n"


def five_numbers(parts: list[Part]) -> str:
    """Return the block of the README, without its marks."""
    stored = {part.name: part.results for part in parts if part.is_stored}
    lines = [FIRST_WORDS, ""]
    for name, headline in HEADLINES:
        said = headline(stored[name]) if name in stored else None
        lines.append(f"- {said or 'not measured yet'} (`make {name}`)")
    lines += [
        "",
        "All tables and figures, and how they were made: [docs/results.md](docs/results.md).",
    ]
    return "\n".join(lines)


def relations_block(parts: list[Part]) -> str:
    """Return the block of docs/believing-noisy-or.md, without its marks."""
    results = next((part.results for part in parts if part.name == "relations"), {})
    return relations_page.readers_block(results)


def with_block(text: str, block: str) -> str:
    """Return a text with a new block between its marks."""
    pattern = re.compile(f"{BEGIN}\n.*?{END}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"the text must have {BEGIN} and {END} once, in this order")
    return pattern.sub(lambda _: f"{BEGIN}\n{block}\n{END}", text)


def draw_all(parts: list[Part], folder: Path) -> None:
    """Write the figures of all parts, and delete those of an earlier page."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {path.name for part in parts for path in part.figures(folder)}
    for path in folder.glob("*.svg"):
        if path.name not in drawn:
            path.unlink()
