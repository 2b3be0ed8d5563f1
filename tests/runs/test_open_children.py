"""Children that a cluster has begun, in the files of a checkpoint."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from noisyor.core import FormatError, MismatchError
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.request import Request
from noisyor.core.variable_sets import to_words
from noisyor.runs.checkpoint import FOLDER, Checkpoint, remove_unfinished
from noisyor.runs.open_children import open_child_document, read_open_child
from noisyor.runs.sealed import sealed
from noisyor.scoring import score
from noisyor.scoring.cluster_tasks import OpenChild
from noisyor.scoring.set_ranges import SetRange
from tests.scoring.problems import random_dataset

REQUEST = Request.of(random_dataset(1, 70, 60), 20)


def begun(child: int = 2) -> OpenChild:
    others = tuple(v for v in range(70) if v != child)
    found = FamilyColumns.without_parameters(
        child, to_words([0, 1 << 69, 3 << 65], 2), [0, 0, 2], [1 / 3, 1e-300, 7.0], [0.0, 0.0, 1e-9]
    )
    return OpenChild(
        child,
        others,
        found,
        score(random_dataset(1, 3, 60)).statistics,
        (SetRange(5, 1 << 60), SetRange((1 << 60) + 1, 1 << 69)),
        10.0,
    )


def test_all_is_read_as_it_was_written(tmp_path: Path) -> None:
    Checkpoint(tmp_path).keep_open_child(begun())
    assert Checkpoint(tmp_path).open_children() == {2: begun()}
    begun().check_for(REQUEST)


def test_the_last_of_a_child_counts_even_if_earlier_ones_are_left(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    checkpoint.keep_open_child(begun())
    earlier = tmp_path / FOLDER / "begun-2-000000.json"
    text = earlier.read_bytes()
    later = replace(begun(), ranges=(SetRange(6, 8),))
    checkpoint.keep_open_child(later)
    checkpoint.keep_open_child(begun(5))
    assert not earlier.exists()
    earlier.write_bytes(text)  # the run was killed before it removed the file
    assert Checkpoint(tmp_path).open_children() == {2: later, 5: begun(5)}


def test_a_finished_child_is_no_longer_open(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    checkpoint.keep_open_child(begun(0))
    checkpoint.keep_open_child(begun(1))
    scored = score(random_dataset(1, 3, 60), children=[1])
    checkpoint.keep_child(scored.table, scored.statistics)
    assert set(checkpoint.open_children()) == {0}
    checkpoint.remove()
    assert not (tmp_path / FOLDER).exists()


def test_a_checkpoint_with_nothing_but_an_open_child_is_kept(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    checkpoint.keep_open_child(begun())
    assert not remove_unfinished(tmp_path)
    assert checkpoint.open_children() == {2: begun()}


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("child", 1024, "child is 1024; it must be between 0 and 1023"),
        ("order", [1, 1], "order must have variables other than the child, each once"),
        ("order", [2, 3], "order must have variables other than the child, each once"),
        ("ranges", [], "ranges must have ranges with different ends, at least one"),
        ("ranges", [["0", "4"], ["2", "4"]], "ranges must have ranges with different ends"),
        ("ranges", [["4", "3"]], r"ranges\[0\] must ascend to at most 2 to the power of 1024"),
        ("ranges", [["0", "1" + "0" * 399]], r"ranges\[0\] must ascend"),
        ("ranges", [["0", "-1"]], r"ranges\[0\] must be two whole numbers, as texts"),
        ("ranges", [["0"]], r"ranges\[0\] must be two whole numbers, as texts"),
        ("seconds", "soon", "seconds is 'soon'; expected: a number"),
        ("work", {}, "work lacks 'relations'"),
    ],
)
def test_a_document_that_says_nonsense_is_refused(
    key: str, value: object, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "begun-2-000000.json"
    content = json.loads(open_child_document(begun()))
    del content["sha256"]
    path.write_bytes(sealed({**content, key: value}))
    with pytest.raises(FormatError, match=complaint):
        read_open_child(path)


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("words", 3, "parents must have 3 numbers in each entry"),
        ("costs", [1.0], "must have equally many parents, relations, costs and gaps"),
        ("relations", [0, 0, 255], r"relations\[2\] is 255"),
        ("gaps", [0.0, 0.0, -1e999], r"gaps\[2\]"),
    ],
)
def test_families_that_do_not_fit_together_are_refused(
    key: str, value: object, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "begun-2-000000.json"
    content = json.loads(open_child_document(begun()))
    del content["sha256"]
    content["found"][key] = value
    path.write_text(json.dumps({**content, "sha256": ""}))
    with pytest.raises(FormatError, match=complaint):
        read_open_child(path)


def test_a_damaged_file_is_refused_with_advice(tmp_path: Path) -> None:
    Checkpoint(tmp_path).keep_open_child(begun())
    path = tmp_path / FOLDER / "begun-2-000000.json"
    path.write_bytes(path.read_bytes().replace(b"0.3333333333333333", b"0.3333333333333334"))
    with pytest.raises(FormatError, match=r"does not match its digest.* Remove .*begun-2"):
        Checkpoint(tmp_path).open_children()


def test_a_file_of_another_child_is_refused(tmp_path: Path) -> None:
    Checkpoint(tmp_path).keep_open_child(begun())
    path = tmp_path / FOLDER / "begun-2-000000.json"
    path.rename(path.with_name("begun-3-000000.json"))
    with pytest.raises(FormatError, match=r"begun-3-000000\.json is of child 2"):
        Checkpoint(tmp_path).open_children()


@pytest.mark.parametrize(
    "wrong",
    [
        replace(begun(), order=(0, 1)),
        replace(begun(), ranges=(SetRange(0, (1 << 69) + 1),)),
        replace(begun(), found=replace(begun().found, parents=to_words([4, 0, 0], 2))),
        replace(begun(), found=replace(begun().found, parents=to_words([1 << 70, 0, 0], 2))),
        replace(begun(), found=replace(begun().found, relations=np.array([0, 0, 1], np.uint8))),
    ],
    ids=["order", "ranges", "own parent", "no variable", "relation"],
)
def test_what_cannot_be_of_the_request_is_refused(wrong: OpenChild) -> None:
    with pytest.raises(MismatchError, match="what was kept of the child 'v2' is of other settings"):
        wrong.check_for(REQUEST)
