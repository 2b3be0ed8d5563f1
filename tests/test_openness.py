"""Relations are values: code asks what a relation can do, and hardly any knows one by name."""

import ast
import re
from pathlib import Path

from noisyor.core.relations import all_relations

ROOT = Path(__file__).parents[1]
PYTHON_FILES = sorted((ROOT / "src").rglob("*.py"))
CPP_FILES = sorted(path for path in (ROOT / "cpp").rglob("*") if path.suffix in {".hpp", ".cpp"})

MOST_PYTHON_FILES = 6
MOST_CPP_MODULES = 4
VALUES = {"CPT", "NOISY_OR", "LEAKY_NOISY_OR"}
# A Cpt is what every distribution can be written out as, so anybody may make one or be given one.
DISTRIBUTIONS = {"NoisyOr"}
# "cpt" is a word of GeNIe's files and of pyAgrum, too.
NAMES = {relation.name for relation in all_relations()} - {"cpt"}

# Classes, kinds and constants of relations. A letter of the next word, or a plural, may follow.
CPP_NAMES = re.compile(r"\bk?(?:FullTable|Cause|NoisyOr|Leaky|Cpt)s?(?:[A-Z0-9]\w*)?\b")
CPP_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# The fits are one convex problem, the noisy-OR's, and know nothing else: they are exempt.
CPP_EXEMPT = "cpp/fitting/"


def docstrings(tree: ast.Module) -> set[int]:
    """Return the identities of the constants that are documentation."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
    return found


def is_facade(tree: ast.Module) -> bool:
    """Return whether a module only re-exports names."""
    return all(
        isinstance(node, ast.ImportFrom | ast.Import)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("__"))
        for node in tree.body
    )


def known_relations(source: str) -> set[str]:
    """Return the relations and distributions that a module names in its code."""
    tree = ast.parse(source)
    if is_facade(tree):
        return set()
    documented = docstrings(tree)
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.add(node.name)
        elif isinstance(node, ast.Constant) and id(node) not in documented:
            found |= {node.value} & NAMES if isinstance(node.value, str) else set()
    return found & (VALUES | DISTRIBUTIONS | NAMES)


def known_cpp_relations(source: str) -> set[str]:
    """Return the names of relations in the code of a C++ file, not in its comments and texts."""
    return set(CPP_NAMES.findall(CPP_NO_CODE.sub(" ", source)))


def test_the_count_sees_names_values_and_texts_but_no_documentation() -> None:
    assert known_relations("from a import CPT\nx = CPT") == {"CPT"}
    assert known_relations("isinstance(x, core.NoisyOr)") == {"NoisyOr"}
    assert known_relations("x == 'noisy-or'") == {"noisy-or"}
    assert known_relations('"""About cpt."""\nx = 1') == set()
    assert known_relations("from a import CPT\n__all__ = ['CPT']") == set()


def test_few_python_files_know_relations_by_name() -> None:
    knowing = {
        path.relative_to(ROOT).as_posix(): sorted(known)
        for path in PYTHON_FILES
        if (known := known_relations(path.read_text(encoding="utf-8")))
    }
    assert len(knowing) <= MOST_PYTHON_FILES, knowing


def test_the_cpp_count_sees_identifiers_but_no_comments_and_texts() -> None:
    assert known_cpp_relations("RelationSpec::of<FullTableKind>(code);") == {"FullTableKind"}
    assert known_cpp_relations("CausesKind{leak}; CauseFits<W> a;") == {"CausesKind", "CauseFits"}
    assert known_cpp_relations("NoisyOrFitter<W> fitter_; Cpt x;") == {"NoisyOrFitter", "Cpt"}
    assert known_cpp_relations("case kCpt: case kNoisyOr:") == {"kCpt", "kNoisyOr"}
    assert known_cpp_relations("// A NoisyOr.\n/* A\nCpt. */ int x;") == set()
    assert known_cpp_relations('text = "a \\"NoisyOr\\" and a Cpt";') == set()
    assert known_cpp_relations("int Causeway, kOnlyCause, NoisyOrange;") == set()


def test_few_cpp_modules_know_relations_by_name() -> None:
    # A header and its source are one module.
    knowing: dict[str, set[str]] = {}
    for path in CPP_FILES:
        module = path.relative_to(ROOT).with_suffix("").as_posix()
        known = known_cpp_relations(path.read_text(encoding="utf-8"))
        if known and not module.startswith(CPP_EXEMPT):
            knowing.setdefault(module, set()).update(known)
    assert "cpp/scoring/full_table_search" in knowing  # the count sees files
    assert len(knowing) <= MOST_CPP_MODULES, knowing


def test_outside_core_and_fitting_nobody_asks_for_the_type_of_a_distribution() -> None:
    asking = re.compile(r"isinstance\([^)]*\b(Cpt|NoisyOr|FullTable|CauseRelation)\b")
    inner = ("src/noisyor/core/", "src/noisyor/fitting/")
    found = [
        name
        for path in PYTHON_FILES
        if not (name := path.relative_to(ROOT).as_posix()).startswith(inner)
        and asking.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
