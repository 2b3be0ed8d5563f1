"""The library speaks Python: only the commands speak of flags."""

import ast
import re
from pathlib import Path

import noisyor

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_STYLES = {"relation_style.py", "notebook.py"}  # variables of a style sheet


def _messages(path: Path) -> list[str]:
    """Return the texts of a module, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


def test_no_message_of_the_library_has_a_flag() -> None:
    package = Path(noisyor.__file__).parent
    modules = [path for path in package.rglob("*.py") if "cli" not in path.parts]
    assert len(modules) > 200
    found = {
        f"{path.relative_to(package)}: {text}"
        for path in modules
        if path.name not in _STYLES
        for text in _messages(path)
        if _FLAG.search(text)
    }
    assert not found
