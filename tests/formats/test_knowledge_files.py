"""Knowledge from files: what is allowed, and how everything else is refused."""

from pathlib import Path

import pytest

from noisyor.core import FormatError, Knowledge, SettingsError
from noisyor.formats.knowledge_files import read_knowledge

TOML = """
# what the clinic knows
max_parents = 3
required = ["flu -> fever", ["a -> b", "cough"]]
forbidden = ["fever->flu"]
tiers = [["age"], ["flu", "a -> b"], ["fever", "cough"]]
roots = ["age"]
sinks = ["cough"]
"""

YAML = """
# what the clinic knows
max_parents: 3
required:
  - flu -> fever
  - [a -> b, cough]
forbidden: [fever->flu]
tiers:
  - [age]
  - [flu, a -> b]
  - - fever
    - cough
roots: [age]
sinks: [cough]
"""

CLINIC = Knowledge(
    required=(("flu", "fever"), ("a -> b", "cough")),
    forbidden=(("fever", "flu"),),
    tiers=(("age",), ("flu", "a -> b"), ("fever", "cough")),
    roots=("age",),
    sinks=("cough",),
    max_parents=3,
)


def knowledge_in(folder: Path, text: str, name: str = "known.yaml") -> Knowledge:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_knowledge(path)


@pytest.mark.parametrize(
    ("name", "text"), [("k.toml", TOML), ("k.yaml", YAML), ("k.yml", YAML), ("k.YAML", YAML)]
)
def test_both_languages_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    assert knowledge_in(tmp_path, text, name) == CLINIC


def test_a_file_may_say_little(tmp_path: Path) -> None:
    assert knowledge_in(tmp_path, "max_parents: 0") == Knowledge(max_parents=0)
    assert knowledge_in(tmp_path, 'roots = ["a"]', "k.toml") == Knowledge(roots=("a",))
    assert knowledge_in(tmp_path, "tiers: []\nroots: []") == Knowledge()


@pytest.mark.parametrize(
    "name", ["no", "on", "yes", "2024-01-01", "1.5", "0x1F", "1:30", "<<", "é🙂"]
)
def test_in_yaml_a_name_is_the_text_that_is_written(tmp_path: Path, name: str) -> None:
    assert knowledge_in(tmp_path, f"roots: [{name}]").roots == (name,)


def test_strange_names_keep_their_characters(tmp_path: Path) -> None:
    names = ("<script>", 'a "b"', " padded ", "&x", "*y", "x" * 200)
    quoted = ", ".join("'" + name + "'" for name in names)
    assert knowledge_in(tmp_path, f"sinks: [{quoted}]").sinks == names
    assert knowledge_in(tmp_path, f"sinks = [{quoted}]", "k.toml").sinks == names


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    assert knowledge_in(tmp_path, "\ufeffmax_parents: 1") == Knowledge(max_parents=1)
    assert knowledge_in(tmp_path, "\ufeffmax_parents = 1", "k.toml") == Knowledge(max_parents=1)


ALLOWED = "required, forbidden, tiers, roots, sinks, max_parents"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"it is empty; allowed: {ALLOWED}"),
        ("# only a comment", "it is empty"),
        ("[a, b]", "the document is a list; expected: an object"),
        ("root: [a]", f"the document has the key 'root'; allowed: {ALLOWED}"),
        ("roots: a", "roots is 'a'; expected: a list"),
        ("roots:", "roots is null; expected: a list"),
        ("roots: [a, [b]]", "roots[1] is a list; expected: a text"),
        ("roots: [1]", "roots[0] is not a text; a name that looks like a number needs quotes"),
        ("roots: [~]", "roots[0] is not a text"),
        ("roots: ['  ']", "roots[0] is blank"),
        ("tiers: [a, b]", "tiers[0] is 'a'; expected: a list"),
        ("max_parents: two", "max_parents is 'two'; expected: a whole number"),
        ("max_parents: 1.5", "max_parents is '1.5'; expected: a whole number"),
        ("max_parents: -1", "max_parents is -1; it must be at least 0"),
        ("required: [a b]", "required[0] is 'a b'; expected: \"parent -> child\" with one arrow"),
        ("required: [a -> b -> c]", "required[0] is 'a -> b -> c'; expected"),
        ("required: [a ->]", "required[0] is 'a ->'; expected"),
        ("forbidden: [[a, b, c]]", "forbidden[0] has 3 entries; expected: two, [parent, child]"),
        ("forbidden: [[a, 2]]", "forbidden[0][1] is not a text"),
        ("forbidden: [{a: b}]", "forbidden[0] is no edge; expected"),
        ("roots: [a]\nsinks: [b]\nroots: [c]", "line 3, column 1: the key 'roots' occurs twice"),
        ("roots: [a\nsinks: [b]", "it is not YAML that noisyor reads: line 2"),
        (
            "roots: [a]\n---\nroots: [b]",
            "line 2, column 1: expected a single document in the stream, but found another",
        ),
        ("? [a]\n: b", "a key that is not a text"),
        ("roots: [a\x00b]", "special characters are not allowed"),
        ("roots: &r [a]\nsinks: *r", "line 1, column 8: 'r' is an anchor or alias"),
        ("roots: *r", "'r' is an anchor or alias"),
        ("roots: !!python/object/apply:os.getcwd []", "tag:yaml.org,2002:python/object/apply"),
        ("roots: !!python/name:os.system", "noisyor reads no tags"),
        ("roots: [!!binary aGk=]", "the tag 'tag:yaml.org,2002:binary'"),
        ("roots: !local [a]", "the tag '!local'; noisyor reads no tags"),
        ("roots: !!set {a, b}", "the tag 'tag:yaml.org,2002:set'"),
    ],
)
def test_yaml_is_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        knowledge_in(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'known.yaml'}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("roots = [1]", "roots[0] is not a text"),
        ("roots = [true]", "roots[0] is not a text"),
        ("roots = 2024-01-01", "roots is datetime.date(2024, 1, 1); expected: a list"),
        ("max_parents = true", "max_parents is true; expected: a whole number"),
        ("max_parents = 2.0", "max_parents is 2.0; expected: a whole number"),
        ("[required]\na = 'b'", "required is an object; expected: a list"),
        ("max_parent = 2", "the document has the key 'max_parent'; allowed"),
        ("roots = ['a']\nroots = ['b']", "it is not TOML: Cannot overwrite a value"),
        ("roots = [a]", "it is not TOML: Invalid value (at line 1"),
    ],
)
def test_toml_is_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        knowledge_in(tmp_path, text, "known.toml")
    assert str(caught.value).startswith(f"{tmp_path / 'known.toml'}: ")
    assert message in str(caught.value)


def test_an_alias_bomb_is_refused_at_its_first_anchor(tmp_path: Path) -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    with pytest.raises(FormatError, match="line 1, column 5: 'a0' is an anchor"):
        knowledge_in(tmp_path, "\n".join(levels))


@pytest.mark.parametrize(("name", "start"), [("k.yaml", "roots: "), ("k.toml", "roots = ")])
def test_deep_nesting_is_refused(tmp_path: Path, name: str, start: str) -> None:
    text = start + "[" * 20_000 + "]" * 20_000
    with pytest.raises(FormatError, match=r"nested too deeply|TOML inline arrays/tables cannot"):
        knowledge_in(tmp_path, text, name)


def test_a_file_too_large_to_be_knowledge_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_bytes(b"#" * (2**26 + 1))
    with pytest.raises(FormatError, match=r"more than 64 MiB.*is it a table of records"):
        read_knowledge(path)


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"cannot read .*none\.toml: No such file"):
        read_knowledge(tmp_path / "none.toml")
    with pytest.raises(SettingsError, match=r"k\.json does not end like .*: \.toml, \.yaml, \.yml"):
        read_knowledge(tmp_path / "k.json")
    (tmp_path / "latin.yaml").write_bytes(b"roots: [caf\xe9]")
    with pytest.raises(FormatError, match=r"latin\.yaml is not UTF-8 text"):
        read_knowledge(str(tmp_path / "latin.yaml"))
