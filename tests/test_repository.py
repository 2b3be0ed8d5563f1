"""What the repository says about itself is true."""

import ast
import doctest
import importlib.util
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import noisyor
from noisyor.cli import app
from noisyor.cli.command_group import COMMANDS
from noisyor.core import errors
from noisyor.data.examples import example_truth
from tests.support.effort import HANGS_AFTER

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PYTHON_DOCUMENTS = [
    "README.md",
    "docs/advice.md",
    "docs/data.md",
    "docs/fitting.md",
    "docs/missing-data.md",
    "docs/networks.md",
    "docs/scores.md",
    "docs/scoring.md",
    "docs/many-variables.md",
    "docs/sampling.md",
    "docs/search.md",
    "docs/sklearn.md",
]
MACHINE_PATHS = tuple(f"/{folder}/" for folder in ("work", "root", "tmp"))
BINARY_SUFFIXES = {".png"}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    return tomllib.loads(text_of("pyproject.toml"))


def code_blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)


def commands_in(document: Path, program: str) -> Iterator[list[str]]:
    """Yield the arguments of each command line of a program in a document's shell blocks."""
    for block in code_blocks(document, "sh"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == [program]:
                yield words[1:]


def tracked_files() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: the tracked files are not known")
    git = shutil.which("git")
    assert git is not None
    listed = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_the_version_is_the_same_everywhere() -> None:
    version = project()["project"]["version"]
    assert noisyor.__version__ == version
    assert re.findall(r"^version: (.*)$", text_of("CITATION.cff"), re.MULTILINE) == [version]
    assert f"The version is {version}:" in text_of("README.md")


def test_the_changelog_is_ready_for_the_next_change() -> None:
    headings = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_in_documents_exist(document: Path) -> None:
    commands = set(COMMANDS)
    targets = set(re.findall(r"^([\w-]+):", text_of("Makefile"), re.MULTILINE))
    for words in commands_in(document, "noisyor"):
        assert words[0] in commands
    for words in commands_in(document, "make"):
        # A word with an equals sign sets a variable.
        assert {word for word in words if "=" not in word} <= targets
    assert set(re.findall(r"`make ([\w-]+)`", document.read_text())) <= targets


def test_the_readme_gives_the_commands_that_matter() -> None:
    assert ["demo"] in commands_in(ROOT / "README.md", "make")
    assert ["install", "."] in commands_in(ROOT / "README.md", "pip")
    assert {words[0] for words in commands_in(ROOT / "README.md", "noisyor")} >= {
        "examples",
        "estimate",
        "learn",
        "query",
    }


def test_the_readme_tour_of_the_command_line_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in commands_in(ROOT / "README.md", "noisyor"):
        result = CliRunner().invoke(app, words, prog_name="noisyor")
        assert result.exit_code == 0, (words, result.output)
        for earlier, word in pairwise(words):
            assert earlier != "-o" or (tmp_path / word).stat().st_size


@pytest.mark.parametrize("name", PYTHON_DOCUMENTS)
def test_the_python_in_documents_gives_what_they_show(name: str) -> None:
    outcome = doctest.testfile(str(ROOT / name), module_relative=False)
    assert outcome.attempted > 3
    assert outcome.failed == 0


def test_the_worked_example_of_binarize_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = ROOT / "docs" / "data.md"
    raw, binary = code_blocks(document, "csv")
    (mapping,) = code_blocks(document, "json")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw.csv").write_text(raw)
    (tmp_path / "new.csv").write_text(raw)
    (tmp_path / "groups.json").write_text(mapping)
    commands = [words for words in commands_in(document, "noisyor") if words[0] == "binarize"]
    commands.append(["binarize", "raw.csv", "-o", "grouped.csv", "--mapping", "groups.json"])
    for words in commands:
        result = CliRunner().invoke(app, words, prog_name="noisyor")
        assert result.exit_code == 0, (words, result.output)
    assert (tmp_path / "binary.csv").read_text() == binary
    assert (tmp_path / "new-binary.csv").read_text() == binary
    assert (tmp_path / "grouped.csv").read_text().startswith("age>50,smoker,colour=red|green\n")


def test_the_loading_figures_are_those_of_the_benchmark() -> None:
    tables = json.loads(text_of("benchmarks/results/loading.json"))["tables"]
    document = text_of("docs/data.md")
    for reader in tables["sparse"]:
        cells = [
            cell
            for table in ("sparse", "uniform")
            for cell in (
                f"{tables[table][reader]['seconds']:.2f} s",
                f"{tables[table][reader]['peak_gb']:.2f} GB",
            )
        ]
        assert f"| {' | '.join([reader, *cells])} |" in document


def test_the_picture_is_what_the_script_draws() -> None:
    path = ROOT / "examples" / "draw_network.py"
    spec = importlib.util.spec_from_file_location("draw_network", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.draw(example_truth("clinic")) == text_of("docs/images/clinic.svg")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", document.read_text())
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (document.parent / link).exists()] == []


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked_files()
        if path.suffix not in BINARY_SUFFIXES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if any(folder in line for folder in MACHINE_PATHS)
    ]
    assert found == []


def test_every_part_has_its_place_in_the_contracts() -> None:
    contracts = project()["tool"]["importlinter"]["contracts"]
    (layers,) = (one for one in contracts if one["type"] == "layers")
    assert layers["containers"] == ["noisyor"]
    assert layers["exhaustive"] is True
    placed = {name.strip(" ()") for line in layers["layers"] for name in line.split("|")}
    parts = {path.stem for path in (ROOT / "src" / "noisyor").glob("[!_]*.py")}
    parts |= {path.parent.name for path in (ROOT / "src" / "noisyor").glob("*/__init__.py")}
    assert parts - placed == set()
    planned = {
        name.strip(" ()")
        for line in layers["layers"]
        for name in line.split("|")
        if name.strip().startswith("(")
    }
    assert planned & parts == set(), "it exists now: take it out of its parentheses"


def test_the_architecture_names_every_part() -> None:
    table = text_of("docs/architecture.md")
    parts = [path.parent.name for path in (ROOT / "src" / "noisyor").glob("*/__init__.py")]
    assert [part for part in parts if f"| `src/noisyor/{part}/` |" not in table] == []
    kernels = [path.name for path in (ROOT / "cpp").iterdir() if path.is_dir()]
    assert [folder for folder in kernels if not re.search(rf"mirror.*`{folder}`", table)] == []


def test_the_package_gives_its_public_names_and_nothing_else() -> None:
    module = ast.parse(text_of("src/noisyor/__init__.pyi"))
    imports = [node for node in module.body if isinstance(node, ast.ImportFrom)]
    rest = [node for node in module.body if node not in imports]
    assert [type(node) for node in rest] == [ast.Assign, ast.AnnAssign]  # __all__, __version__
    imported = {alias.name for node in imports for alias in node.names}
    assert set(noisyor.__all__) == imported | {"__version__"}
    assert set(ast.literal_eval(rest[0].value)) == set(noisyor.__all__)  # type: ignore[attr-defined]
    assert dir(noisyor) == noisyor.__all__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = noisyor.nothing  # type: ignore[attr-defined]
    for name in noisyor.__all__:
        assert getattr(noisyor, name) is not None


def test_every_error_is_public() -> None:
    tree = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.NoisyorError)
    }
    assert len(tree) > 10
    assert tree <= set(noisyor.__all__)
