"""The page docs/results.md and the five numbers of the README, made of stored results."""

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from benchmarks.harness.folders import IMAGES_FOLDER, RESULTS_FOLDER, ROOT
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results, stored_results
from benchmarks.report.headlines import HEADLINES

PAGE = ROOT / "docs" / "results.md"
README = ROOT / "README.md"
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"
FIRST_WORDS = "In five numbers, each with the command that makes it:"
LAST_WORDS = (
    "All tables and figures, and how they were made, are in [docs/results.md](docs/results.md)."
)
ORIGIN_COLUMNS = ("commit", "noisyor", "python", "numpy", "highspy", "machine")

INTRODUCTION = """\
# Results

What the paper claims, redone with certified fits and a complete search, and what it does not ask.
Every number on this page is written by `python -m benchmarks.report` from the results stored under
`benchmarks/results/`; a test compares the page with what the script writes.

## How to make it again

```sh
make table1    # recovery of noisy-OR parameters
make table2    # the sixteen data sets
make table3    # inference error
make study     # structures, held-out records, calibration
make race      # other programs, in an environment of their own
make results   # this page and its figures, from what is stored
```

Each command makes what is not stored yet and may be stopped at any time: the next one goes on.
Random numbers are seeded. `python -m benchmarks.paper.table1 --help` tells how to make a part
alone. To make all of it again, delete the results first.

The data are not part of the repository. In the folder `shared` beside it the commands expect
`datasets/` (the sixteen data sets of the paper as CSV), `networks/` (the ground-truth networks as
BIF) and `paper/` (the paper's tables as CSV); other folders are given by options. A command that
misses something says what to put where.

## Where it comes from

A commit with a plus had changes that were not committed."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a script is about, how its stored results are read, and the files that hold them.

    `section` and `figures` are the script's own, or from the modules named.
    """

    module: str
    title: str
    read: Callable[[ModuleType], Results]
    files: Callable[[ModuleType], list[Path]]
    section_from: str | None = None
    figures_from: str | None = None


def kept_results(module: ModuleType) -> Results:
    """Return results that are kept line by line."""
    return dict(KeptResults(module.RESULTS).results())


def usable_results(module: ModuleType) -> Results:
    """Return the results of learning, if any has what its table needs; older ones do not."""
    results: Results = module.stored()
    return results if any(map(module.is_usable, results["learned"].values())) else {}


def own_file(module: ModuleType) -> list[Path]:
    """Return the one file of a script."""
    return [module.RESULTS]


SOURCES = {
    "table1": Source(
        "benchmarks.paper.table1.__main__",
        "Table 1: recovery of noisy-OR parameters",
        kept_results,
        own_file,
    ),
    "table2": Source(
        "benchmarks.paper.table2.__main__",
        "Table 2: all sixteen data sets",
        usable_results,
        lambda module: [module.learn.RESULTS, RESULTS_FOLDER / "scoring.json"],
    ),
    "table3": Source(
        "benchmarks.paper.table3.__main__", "Table 3: inference error", kept_results, own_file
    ),
    "study": Source(
        "benchmarks.study.__main__",
        "Study: structures, held-out records, credible arcs",
        lambda module: module.stored_study(),
        lambda module: [module.RANDOM_RESULTS, module.TRUTH_RESULTS],
    ),
    "race": Source(
        "benchmarks.race.__main__",
        "Race against other programs",
        lambda module: stored_results(module.RESULTS),
        own_file,
        section_from="benchmarks.race.page",
        figures_from="benchmarks.race.figures",
    ),
}
"""The scripts whose results are shown, in this order. They are imported when they are asked for."""


@dataclass(frozen=True, slots=True)
class Part:
    """A script, what it has stored, where that comes from, and what turns it into a page."""

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
        """Return what the script writes of its results, or how to get them.

        Figures in the folder of images that the script has drawn but not placed come at the end.
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


def part_of(name: str, source: Source) -> Part:
    """Return what a script has stored."""
    module = importlib.import_module(source.module)
    writer = importlib.import_module(source.section_from or source.module)
    drawer = importlib.import_module(source.figures_from or source.module)
    origins = [origin for path in source.files(module) for origin in origins_of(path)]
    unique = {tuple(sorted(origin.items())): origin for origin in origins}
    return Part(
        name,
        source.title,
        source.read(module),
        list(unique.values()),
        writer.section,
        drawer.figures,
    )


def origins_of(path: Path) -> list[Results]:
    """Return where the results of a file come from."""
    if path.suffix == ".jsonl":
        return KeptResults(path).provenances()
    return list(origins_in(stored_results(path)))


def all_parts() -> list[Part]:
    """Return all parts of the page, in its order."""
    return [part_of(name, source) for name, source in SOURCES.items()]


def origins_in(results: Results) -> Iterator[Results]:
    """Yield where each of the results comes from, however deep it is stored."""
    for value in results.values():
        if not isinstance(value, dict):
            continue
        if "provenance" in value:
            yield value["provenance"]
        elif {"version", "machine"} <= set(value):  # kept before commits were
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


def with_block(readme: str, block: str) -> str:
    """Return the README with a new block between the marks."""
    pattern = re.compile(f"{BEGIN}\n.*?{END}", re.DOTALL)
    if len(pattern.findall(readme)) != 1:
        raise ValueError(f"README.md must have {BEGIN} and {END} once, in this order")
    return pattern.sub(lambda _: f"{BEGIN}\n{block}\n{END}", readme)


def draw_all(parts: list[Part], folder: Path) -> None:
    """Write the figures of all parts, and delete those of a page that was before."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {path.name for part in parts for path in part.figures(folder)}
    for path in folder.glob("*.svg"):
        if path.name not in drawn:
            path.unlink()
