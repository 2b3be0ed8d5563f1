"""Children that a cluster has begun, as documents of a checkpoint.

A document holds what the parts of a child have found, without parameters, which the last task of
the child fits anew, and the ranges of sets that are left. Sets may have more candidates than a
number of JSON may have bits, so their numbers are texts.
"""

import re
from pathlib import Path

import numpy as np

from noisyor.core.family_columns import FamilyColumns
from noisyor.core.relations import all_relations
from noisyor.core.variable_sets import MAX_VARIABLES, WORD_BITS, word_count
from noisyor.formats.json_place import JsonPlace
from noisyor.runs.sealed import sealed, unsealed
from noisyor.runs.work_documents import WORK_KEYS, work_document, work_in
from noisyor.scoring.cluster_tasks import OpenChild
from noisyor.scoring.set_ranges import SetRange

_NUMBER = re.compile("[0-9]{1,400}")
_KEYS = ("child", "order", "found", "work", "ranges", "seconds")


def open_child_document(begun: OpenChild) -> bytes:
    """Return the text of a document."""
    found = begun.found
    return sealed(
        {
            "child": begun.child,
            "order": list(begun.order),
            "found": {
                "words": found.word_count,
                "parents": found.parents.tolist(),
                "relations": found.relations.tolist(),
                "costs": found.costs.tolist(),
                "gaps": found.gaps.tolist(),
            },
            "work": work_document(begun.statistics),
            "ranges": [[str(one.first), str(one.end)] for one in begun.ranges],
            "seconds": begun.seconds,
        }
    )


def read_open_child(path: Path) -> OpenChild:
    """Read a document, and check all that it says."""
    with unsealed(path, *_KEYS) as places:
        child = places["child"].whole_number(0, MAX_VARIABLES - 1)
        order = tuple(places["order"].whole_numbers(0, MAX_VARIABLES - 1))
        if len({*order, child}) != len(order) + 1:
            raise places["order"].wrong("must have variables other than the child, each once")
        return OpenChild(
            child,
            order,
            _found_in(places["found"], child),
            work_in(places["work"].fields(*WORK_KEYS)),
            _ranges_in(places["ranges"]),
            places["seconds"].number(),
        )


def _found_in(place: JsonPlace, child: int) -> FamilyColumns:
    columns = place.fields("words", "parents", "relations", "costs", "gaps")
    words = columns["words"].whole_number(1, word_count(MAX_VARIABLES))
    most = (1 << WORD_BITS) - 1
    parents = [one.whole_numbers(0, most) for one in columns["parents"].entries()]
    relations = columns["relations"].whole_numbers(0, max(one.code for one in all_relations()))
    costs = [one.number() for one in columns["costs"].entries()]
    gaps = [one.number() for one in columns["gaps"].entries()]
    if {len(one) for one in parents} - {words}:
        raise columns["parents"].wrong(f"must have {words} numbers in each entry")
    if {len(relations), len(costs), len(gaps)} != {len(parents)}:
        raise place.wrong("must have equally many parents, relations, costs and gaps")
    sets = np.array(parents, dtype=np.uint64).reshape(len(parents), words)
    return FamilyColumns.without_parameters(child, sets, relations, costs, gaps)


def _ranges_in(place: JsonPlace) -> tuple[SetRange, ...]:
    ranges = []
    for one in place.entries():
        ends = [end.text() for end in one.entries()]
        if len(ends) != 2 or not all(map(_NUMBER.fullmatch, ends)):  # noqa: PLR2004
            raise one.wrong("must be two whole numbers, as texts")
        first, end = map(int, ends)
        if not first <= end <= 1 << MAX_VARIABLES:
            raise one.wrong(f"must ascend to at most 2 to the power of {MAX_VARIABLES}")
        ranges.append(SetRange(first, end))
    if not ranges or len({one.end for one in ranges}) < len(ranges):
        raise place.wrong("must have ranges with different ends, at least one")
    return tuple(ranges)
