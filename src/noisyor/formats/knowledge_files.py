"""Background knowledge about a network, from a TOML or YAML file that a person wrote.

    max_parents = 4
    roots = ["age"]
    sinks = ["cough"]
    required = ["flu -> fever", ["a -> b", "c"]]
    forbidden = ["fever -> flu"]
    tiers = [["age"], ["flu", "cold"], ["fever", "cough"]]

An edge is a text with one arrow or, if a name contains an arrow, a pair. YAML files have the same
keys. Only lists, mappings, texts and whole numbers are read from YAML: a name such as `no` or
`2024-01-01` stays text, tags construct nothing, and aliases, with which a few lines can stand for
billions, are refused.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

from noisyor.core import FormatError, Knowledge, SettingsError
from noisyor.core.arguments import checked_arguments
from noisyor.core.errors import errors_at
from noisyor.core.variable_sets import MAX_VARIABLES
from noisyor.files.content import bytes_in
from noisyor.formats.json_place import JsonPlace

SUFFIXES = (".toml", ".yaml", ".yml")
"""The suffixes of files with background knowledge."""

_KEYS = ("required", "forbidden", "tiers", "roots", "sinks", "max_parents")
_ALLOWED = ", ".join(_KEYS)
_ARROW = "->"
_PAIR = 2
_MOST_BYTES = 2**26  # every edge between 1,024 variables, with names of thirty letters
_DEEPEST = 10  # levels of YAML; valid files have four
_WHOLE_NUMBER = re.compile(r"^-?[0-9]+$")
_NOTHING = re.compile(r"^(~|null|)$")
_TAG = "tag:yaml.org,2002:"
_TAGS_READ = frozenset(_TAG + kind for kind in ("map", "seq", "str", "int", "null"))


@checked_arguments
def read_knowledge(path: str | Path) -> Knowledge:
    """Return the background knowledge in a TOML or YAML file.

    A FormatError says what is wrong, where, and what is allowed. Contradictions are found later,
    when the knowledge is applied to the names of a table: see `Knowledge.constraints`.

    Parameters
    ----------
    path
        A file that ends in .toml, .yaml or .yml.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise SettingsError(
            f"{path} does not end like a file of knowledge; allowed: {', '.join(SUFFIXES)}"
        )
    text = _text_in(path)
    with errors_at(path):
        try:
            content = _from_toml(text) if suffix == ".toml" else _from_yaml(text)
            return _knowledge(JsonPlace(content))
        except RecursionError as error:
            raise FormatError(f"it is nested too deeply; allowed: {_ALLOWED}") from error


def _text_in(path: Path) -> str:
    content = bytes_in(path, _MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise FormatError(
            f"{path} has more than {_MOST_BYTES // 2**20} MiB, more than knowledge about "
            f"{MAX_VARIABLES} variables needs; is it a table of records?"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 text: {error}") from error


def _from_toml(text: str) -> object:
    try:
        return tomllib.loads(text)  # refuses a repeated key
    except ValueError as error:  # TOMLDecodeError, or an integer of thousands of digits
        raise FormatError(f"it is not TOML: {error}") from error


def _from_yaml(text: str) -> object:
    try:
        loader = _PlainLoader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # by "\UFFFFFFFF"
        raise FormatError(f"it is not YAML that noisyor reads: {_on_one_line(error)}") from error


class _PlainLoader(yaml.SafeLoader):
    """Reads lists, mappings, texts and whole numbers, and refuses everything else in YAML."""

    # By the first character of a scalar; every other plain scalar is a text.
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  (the name is PyYAML's)

    _depth = 0  # lists and mappings that are open

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuse anchors, aliases and tags before anything is constructed."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise _refusal(
                f"{event.anchor!r:.60} is an anchor or alias, which noisyor does not read; write "
                "the entries out, or put a name that begins with & or * in quotes",
                event.start_mark,
            )
        if self._depth == _DEEPEST:  # with each level, the scanner takes longer for every token
            raise _refusal("it is nested too deeply", event.start_mark)
        self._depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        if node is not None and node.tag not in _TAGS_READ:
            raise _refusal(f"the tag {node.tag!r:.60}; noisyor reads no tags", node.start_mark)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Refuse a repeated key, of which YAML would take the last."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _refusal("a key that is not a text", key.start_mark)
            if key.value in seen:
                raise _refusal(f"the key {key.value!r:.60} occurs twice", key.start_mark)
            seen.add(key.value)
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made


_PlainLoader.add_implicit_resolver(_TAG + "int", _WHOLE_NUMBER, [*"-0123456789"])
_PlainLoader.add_implicit_resolver(_TAG + "null", _NOTHING, ["~", "n", ""])


def _refusal(what: str, mark: yaml.Mark) -> yaml.YAMLError:
    return yaml.MarkedYAMLError(problem=what, problem_mark=mark)


def _on_one_line(error: Exception) -> str:
    """Return what is wrong and where, without the excerpt that PyYAML adds."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        return f"line {mark.line + 1}, column {mark.column + 1}: {said}"
    return " ".join(str(error).split())


def _knowledge(document: JsonPlace) -> Knowledge:
    if not document.value:
        raise FormatError(f"it is empty; allowed: {_ALLOWED}")
    said = document.fields(optional=_KEYS)
    most = said.get("max_parents")
    return Knowledge(
        required=_edges(said.get("required")),
        forbidden=_edges(said.get("forbidden")),
        tiers=tuple(_names(tier) for tier in _entries(said.get("tiers"))),
        roots=_names(said.get("roots")),
        sinks=_names(said.get("sinks")),
        max_parents=None if most is None else most.whole_number(0),
    )


def _entries(place: JsonPlace | None) -> list[JsonPlace]:
    return [] if place is None else place.entries()


def _names(place: JsonPlace | None) -> tuple[str, ...]:
    return tuple(_name(one) for one in _entries(place))


def _name(place: JsonPlace) -> str:
    if isinstance(place.value, int | float) or place.value is None:
        raise place.wrong("is not a text; a name that looks like a number needs quotes")
    name = place.text()
    if not name.strip():
        raise place.wrong("is blank; expected: the name of a variable")
    return name


def _edges(place: JsonPlace | None) -> tuple[tuple[str, str], ...]:
    return tuple(_edge(one) for one in _entries(place))


def _edge(place: JsonPlace) -> tuple[str, str]:
    if isinstance(place.value, str):
        names = [name.strip() for name in place.value.split(_ARROW)]
        wanted = f'is {place.value!r:.60}; expected: "parent {_ARROW} child" with one arrow'
    elif isinstance(place.value, list):
        names = [_name(one) for one in place.entries()]
        wanted = f"has {len(names)} entries; expected: two, [parent, child]"
    else:
        raise place.wrong(f'is no edge; expected: "parent {_ARROW} child" or [parent, child]')
    if len(names) != _PAIR or not all(names):
        raise place.wrong(f"{wanted}; where a name has an arrow, write [parent, child]")
    return names[0], names[1]
