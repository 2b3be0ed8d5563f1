"""Stored results in the docs: a summary, a page for each script, the README's facts, a table."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER, ROOT
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import as_page
from benchmarks.paper.table2.page import SIZES_FIGURE
from benchmarks.relations import page as relations_page
from benchmarks.report import answers
from benchmarks.report.answers import Answer
from benchmarks.report.facts import FACTS
from benchmarks.report.parts import Part, origins_table, stored_by_script

SUMMARY = ROOT / "docs" / "results.md"
MAKING = PAGES_FOLDER / "making.md"
README = ROOT / "README.md"
BELIEVING = ROOT / "docs" / "believing-noisy-or.md"
METHOD = ROOT / "docs" / "method.md"
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"

INTRODUCTION = """\
# Results

Five questions, and what was measured. Every number and figure here, and on the pages that this one
links to, is made by `make results` from the results stored under `benchmarks/results/`; a test
compares them. [How the results were made](results/making.md) has the commands, the versions and
the machine. "The paper" is Sharma, Liao, Cussens and van Beek (2020)."""

MAKING_PAGE = """\
## How the results were made

```sh
make table1    # recovery of noisy-OR parameters
make table2    # the sixteen data sets
make table3    # inference error
make heldout   # predictions of real data, beside other programs
make study     # structures, held-out records, calibration
make grid      # leaks, strengths, prevalences, wrong models
make relations # sets of relations that compete
make calibration # which weights can be believed
make gaps      # structural EM against simpler ways to treat missing cells
make states    # tables of any states
make race      # other programs, in an environment of their own
make race GOBNILP=/path/to/gobnilp # a binary of GOBNILP that you have
make large     # many variables, and other programs
make recovery  # networks of 20 to 200 variables, and where proofs stop
make results   # these pages and their figures, from stored results
```

Each command computes the results that are not stored yet. It may be stopped at any time; the next
run resumes. Random numbers are seeded. `python -m benchmarks.paper.table1 --help` explains how to
run a part alone. To repeat everything, delete the results first.

The data are not part of the repository. The commands expect a folder `shared` next to it with
`datasets/` (the sixteen data sets of the paper as CSV), `networks/` (the ground-truth networks as
BIF) and `paper/` (the paper's tables as CSV); options name other folders. If something is missing,
a command says what to put where.

### Provenance

A plus after a commit marks uncommitted changes."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the summary: the script that answers it, the answer, a figure, further pages.

    `further` is in Markdown, with links that start in the folder docs. `also` is another script and
    what it adds to the answer.
    """

    title: str
    script: str
    answer: Answer
    figure: str
    caption: str
    further: str
    also: tuple[str, Answer] | None = None

    def section(self, stored: Mapping[str, Results]) -> str:
        """Return the section of the summary."""
        said = self.answer(stored[self.script]) if self.script in stored else None
        if said is None:
            return f"## {self.title}\n\nNot stored yet; `make {self.script}` makes it."
        more = None
        if self.also is not None and self.also[0] in stored:
            more = self.also[1](stored[self.also[0]])
        picture = f"![{self.title}](images/results/{self.figure})\n\n*{self.caption}*"
        parts = [f"## {self.title}", said, *([more] if more else []), picture, self.further]
        return "\n\n".join(parts)


QUESTIONS = (
    Question(
        "How many networks are credible?",
        "table2",
        answers.credible_networks,
        SIZES_FIGURE,
        "Credible networks of each data set of the paper, and the seconds to find them all.",
        "Details: [all sixteen data sets](results/table2.md), and why the paper has fewer "
        "noisy-ORs; [tables with more than two states](results/states.md).",
    ),
    Question(
        "How well are the strengths of causes found?",
        "table1",
        answers.strengths,
        "summary-strengths.svg",
        "Error of q by the number of causes; the band is where medians of 30 tests lie.",
        "Details: [recovery of parameters](results/table1.md), and the [error of "
        "answers](results/table3.md) from learned networks.",
    ),
    Question(
        "Do noisy-ORs give better networks?",
        "heldout",
        answers.real_data,
        "summary-heldout.svg",
        "Gain in predicting held-out records over full tables: blue is clearly better, orange "
        "clearly worse.",
        "Details: [real data](results/heldout.md), [which relations should "
        "compete](results/relations.md) and [when they pay](results/grid.md), a "
        "[study](results/study.md) of structures, predictions and calibration, [which weights can "
        "be believed](results/calibration.md), learning from [records with gaps](results/gaps.md), "
        "and [when to believe a noisy-OR](believing-noisy-or.md).",
        also=("relations", answers.relations),
    ),
    Question(
        "How fast is it?",
        "race",
        answers.speed,
        "summary-speed.svg",
        "Seconds to a network of full tables, by the number of columns.",
        "Details: [the race](results/race.md) against other programs, and how time and memory "
        "grow.",
    ),
    Question(
        "What about hundreds of columns?",
        "large",
        answers.many_variables,
        "summary-many-variables.svg",
        "How much more each program's network costs than the best that any of them found.",
        "Details: [the race of many variables](results/large.md), [recovery and "
        "proofs](results/recovery.md), and [how it works](many-variables.md).",
        also=("recovery", answers.recovery),
    ),
)


def pages(parts: list[Part], images: Path = IMAGES_FOLDER) -> dict[Path, str]:
    """Return the text of every results page by its path, given the folder of the figures."""
    return {
        SUMMARY: summary(parts),
        MAKING: as_page(MAKING_PAGE, origins_table(parts)),
        **{PAGES_FOLDER / f"{part.name}.md": part.page(images) for part in parts},
    }


def summary(parts: list[Part]) -> str:
    """Return docs/results.md."""
    stored = stored_by_script(parts)
    sections = [question.section(stored) for question in QUESTIONS]
    return "\n\n".join([INTRODUCTION, *sections]) + "\n"


def five_facts(parts: list[Part], pages_folder: str = "docs/results") -> str:
    """Return the block of the README, without its marks; links start in its folder."""
    stored = stored_by_script(parts)
    lines = []
    for name, fact in FACTS:
        said = fact(stored[name]) if name in stored else None
        lines.append(f"- {said or 'Not measured yet.'} [`make {name}`]({pages_folder}/{name}.md)")
    return "\n".join(lines)


def relations_block(parts: list[Part]) -> str:
    """Return the block of docs/believing-noisy-or.md, without its marks."""
    results = next((part.results for part in parts if part.name == "relations"), {})
    return relations_page.readers_block(results)


def method_block(parts: list[Part]) -> str:
    """Return the block of docs/method.md, without its marks: the same facts as in the README."""
    return five_facts(parts, "results")


def with_block(text: str, block: str) -> str:
    """Return a text with a new block between its marks."""
    pattern = re.compile(f"{BEGIN}\n.*?{END}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"the text must have {BEGIN} and {END} once, in this order")
    return pattern.sub(lambda _: f"{BEGIN}\n{block}\n{END}", text)
