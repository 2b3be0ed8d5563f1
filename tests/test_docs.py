"""The documentation: every example runs and gives the output shown, and the site is complete."""

import ast
import doctest
import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from typer.testing import CliRunner

import noisyor
from noisyor.cli import app
from noisyor.core.variable import MAX_NODE_STATES, MAX_STATES
from noisyor.core.variable_sets import MAX_NODES, MAX_VARIABLES
from noisyor.data.bin_choices import MANY_VALUES
from noisyor.inference.questions import MOST_BYTES
from noisyor.runs.plan import FEW_VARIABLES, MANY_VARIABLES
from tests.test_repository import PYTHON_DOCUMENTS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TUTORIALS = [
    "quickstart",
    "clinic",
    "faults",
    "car",
    "large-tables",
    "reading-the-report",
    "bayes-factor",
    "believing-noisy-or",
    "interop",
    "genie",
]
NOTEBOOKS = sorted(ROOT.glob("examples/*.ipynb"))

NOT_RUN = {"r"}
"""Languages whose examples need a program that is not from PyPI; the page says so."""

NOT_OURS = {"make", "pip"}
"""Programs that are shown and not run: they would change the machine."""

FENCE = re.compile(r"^```(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"Save this as `([\w.-]+)`[^`]*:\n\n$")
BEGINS = re.compile(r"`([\w.-]+)` begins with[^`]*:\n\n$")
OUTPUT_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

Runner = Callable[[str, str, int], None]
"""Takes a block, the text between it and the block before, and its line."""


@dataclass
class PageRun:
    """The examples of a page, run one after the other in one folder and one Python."""

    page: Path
    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str | None = None
    ran: int = 0

    def run(self) -> None:
        text = self.page.read_text(encoding="utf-8")
        runners: dict[str, Runner] = {
            "csv": self.save,
            "json": self.save,
            "toml": self.save,
            "xml": self.save,
            "yaml": self.save,
            "sh": self.command,
            "text": self.output,
            "python": self.python,
        }
        end = 0
        for fence in FENCE.finditer(text):
            language, block = fence[1], fence[2]
            if language not in NOT_RUN:
                before = text[end : fence.start()]
                runners[language](block, before, text.count("\n", 0, fence.start()))
                self.ran += 1
            end = fence.end()

    def save(self, block: str, before: str, line: int) -> None:
        """Write a file that the reader is asked to save, or compare one that is shown."""
        if saved := SAVED.search(before):
            (self.folder / saved[1]).write_text(block, encoding="utf-8")
            return
        shown = BEGINS.search(before)
        assert shown, f"line {line}: is it a file to save, or the beginning of one?"
        assert (self.folder / shown[1]).read_text(encoding="utf-8").startswith(block)

    def command(self, block: str, _before: str, line: int) -> None:
        printed = []
        for text in block.splitlines():
            words = shlex.split(text, comments=True)
            if not words or words[0] in NOT_OURS:
                continue
            assert words[0] == "noisyor", (line, text)
            result = CliRunner().invoke(app, words[1:], prog_name="noisyor")
            assert result.exit_code == 0, (line, text, result.output)
            printed.append(result.stdout)
        self.printed = "".join(printed)

    def output(self, block: str, before: str, line: int) -> None:
        """Compare what the commands just above printed with what the page shows."""
        assert not before.strip(), f"line {line}: the output of what?"
        assert self.printed is not None
        same = doctest.OutputChecker().check_output(block, self.printed, OUTPUT_FLAGS)
        assert same, f"line {line}:\n{block}\nThis was printed:\n{self.printed}"

    def python(self, block: str, _before: str, line: int) -> None:
        test = doctest.DocTestParser().get_doctest(
            block, self.names, self.page.name, str(self.page), line
        )
        assert test.examples, f"line {line}: no >>> in it"
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        outcome = runner.run(test, out=said.append, clear_globs=False)
        self.names = test.globs
        assert not outcome.failed, "".join(said)


@pytest.mark.filterwarnings("ignore::noisyor.ConversionWarning")
@pytest.mark.filterwarnings("ignore:.*StructureScore. is deprecated:FutureWarning")
@pytest.mark.filterwarnings("ignore:builtin type .* has no __module__:DeprecationWarning")
@pytest.mark.parametrize("name", TUTORIALS)
def test_the_examples_of_a_tutorial_give_what_it_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = PageRun(DOCS / f"{name}.md", tmp_path)
    run.run()
    assert run.ran >= 3


def test_every_page_with_python_in_it_is_run() -> None:
    shown = {path.stem for path in DOCS.glob("*.md") if ">>> " in path.read_text("utf-8")}
    elsewhere = {Path(name).stem for name in PYTHON_DOCUMENTS if name.startswith("docs/")}
    assert shown <= {*TUTORIALS, *elsewhere}


def test_a_wrong_example_does_not_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pages = {
        "python": "```python\n>>> 1 + 1\n3\n\n```\n",
        "command": "```sh\nnoisyor learn no-such-file.csv\n```\n",
        "program": "```sh\nrm -r everything\n```\n",
        "output": "```sh\nnoisyor --version\n```\n\n```text\nnoisyor 99\n```\n",
        "file": "`a.csv` begins with:\n\n```csv\na,c\n```\n",
        "unsaid": "Some lines:\n\n```csv\na,c\n```\n",
    }
    (tmp_path / "a.csv").write_text("a,b\n")
    for name, text in pages.items():
        page = tmp_path / f"{name}.md"
        page.write_text(text)
        with pytest.raises(AssertionError):
            PageRun(page, tmp_path).run()


def test_the_api_page_has_every_public_name() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\.\. (?:auto|py:)[a-z]+:: (\w+)$", page, re.MULTILINE)
    assert len(shown) == len(set(shown))
    assert set(noisyor.__all__) - {"__version__"} <= set(shown)


def test_the_limits_are_those_of_the_code() -> None:
    page = (DOCS / "limits.md").read_text(encoding="utf-8")
    assert f"| {MAX_VARIABLES:,} | the most that a table may have |" in page
    assert f"at most {MAX_STATES} states" in page
    assert f"more than {MANY_VALUES} distinct values are put into" in page
    assert (
        f"may have up to {MAX_NODE_STATES} states, and a network up to {MAX_NODES:,} variables"
        in page
    )
    assert f"A query may take {MOST_BYTES / 2**30:g} GiB" in page
    assert f"| up to about {FEW_VARIABLES} |" in page
    assert f"| above {MANY_VARIABLES} |" in page
    measured = (ROOT / "benchmarks" / "results" / "memory.md").read_text(encoding="utf-8")
    runs = re.findall(r"^Of (\d+) runs, (\d+) are within a factor of 2;", measured, re.MULTILINE)
    assert all(within == count for count, within in runs)
    assert f"[{sum(int(count) for count, _ in runs)} measured\nruns]" in page


def run_cell(source: str, names: dict[str, Any]) -> tuple[str, object]:
    """Run a cell; return what it printed, and the value of its last line if that is one."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102  (our own notebook)
        value = None
        if isinstance(last, ast.Expr):
            expression = compile(ast.Expression(last.value), "cell", "eval")
            value = eval(expression, names)  # noqa: S307  (our own notebook)
    return printed.getvalue(), value


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_give_what_it_shows(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 5
    for cell in cells:
        printed, value = run_cell("".join(cell["source"]), names)
        shown = {"stream": "", "execute_result": ""}
        for output in cell["outputs"]:
            text = output["text"] if "text" in output else output["data"]["text/plain"]
            shown[output["output_type"]] += "".join(text)
        assert shown["stream"] == printed
        assert shown["execute_result"] == ("" if value is None else repr(value))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site as `make docs` makes it, warnings being errors."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q"]
    made = subprocess.run(
        [*command, "-d", folder / "doctrees", DOCS, folder / "html"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return (folder / "html").resolve()


class Attributes(HTMLParser):
    """What a page links to, and what a browser loads to show it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        if "id" in given:
            self.anchors.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        elif "href" in given:
            self.loaded.add(given["href"])
        if "src" in given:
            self.loaded.add(given["src"])


def is_elsewhere(address: str) -> bool:
    return bool(re.match(r"(?:[a-z]+:)?//", address))


@pytest.mark.slow  # builds the site
def test_the_site_has_every_page(site: Path) -> None:
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert pages <= {path.relative_to(site) for path in site.rglob("*.html")}
    # Sphinx's own search page takes the place of docs/search.md, which is searching.html.
    assert "search-results" in (site / "search.html").read_text(encoding="utf-8")
    assert "Persistent sets" in (site / "searching.html").read_text(encoding="utf-8")


@pytest.mark.slow  # builds the site
def test_the_site_can_be_searched(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
    assert {"limits", "results/table2", "searching"} <= set(found["docnames"])
    table2 = found["docnames"].index("results/table2")
    assert table2 in found["terms"]["spectf"]
    pages = [page for page in site.rglob("*.html") if "_static" not in page.parts]
    without = [page.name for page in pages if 'name="q"' not in page.read_text(encoding="utf-8")]
    assert without == []


@pytest.mark.slow  # builds the site
def test_the_navigation_has_four_parts_and_one_for_developers(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    captions = re.findall(r'<p class="caption"[^>]*><span[^>]*>([^<]*)</span>', page)
    assert captions == [
        "Tutorials",
        "How-to guides",
        "Reference",
        "Explanation",
        "For developers",
    ]


@pytest.mark.slow  # builds the site
def test_the_site_loads_nothing_from_the_network(site: Path) -> None:
    pages = [Attributes(page) for page in site.rglob("*.html")]
    assert {address for page in pages for address in page.loaded if is_elsewhere(address)} == set()
    assert sum(len(page.loaded) for page in pages) > len(pages)
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    loaded = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", styles)
    assert [address for address in loaded if is_elsewhere(address)] == []


@pytest.mark.slow  # builds the site
def test_the_links_within_the_site_lead_somewhere(site: Path) -> None:
    pages = {page: Attributes(page) for page in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if is_elsewhere(link) or link.startswith("mailto:"):
                continue
            name, _, anchor = link.partition("#")
            target = (path.parent / unquote(name)).resolve() if name else path
            found = not anchor or target not in pages or anchor in pages[target].anchors
            if not found or not target.exists():
                broken.append((path.name, link))
    assert broken == []


@pytest.mark.slow  # builds the site
def test_docstrings_are_shown_as_they_are_meant(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    described = page.partition('id="noisyor.fit_members"')[2].partition("<dt class")[0]
    assert re.search(r"at most <code[^>]*><span[^>]*>most</span></code>", described)
    linked = page.partition('id="noisyor.Learned.networks"')[2].partition("<dt class")[0]
    assert 'href="#noisyor.fit_members"' in linked
    assert "`" not in re.sub(r"<[^>]*>", "", described)
