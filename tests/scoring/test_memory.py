"""The memory of scoring: figures by hand, and a bound that a process does not exceed."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from noisyor.core import CPT, NOISY_OR, Constraints, Dataset, Knowledge, Variable
from noisyor.core.machine import peak_memory
from noisyor.scoring.memory import (
    PROGRAM,
    TABLE,
    WORK,
    Amount,
    fitting_bytes,
    packed_bytes,
    scoring_memory,
    table_bytes,
    total_of,
    waiting_bytes,
    work_bytes,
)
from noisyor.scoring.pilot import Pilot
from tests.support.effort import HANGS_AFTER

NAMES = ("a", "b", "c")
MIB = 2**20


def three_rows(names: tuple[str, ...] = NAMES) -> Dataset:
    """Return ten records, three of them distinct."""
    words = -(-len(names) // 64)
    rows = np.zeros((3, words), dtype=np.uint64)
    rows[:, 0] = [1, 2, 4]
    return Dataset.from_bits(names, rows, np.array([2, 3, 5]))


def tried(candidates: int, **kept: float) -> Pilot:
    """Return the result of a pilot with this many of two candidates."""
    relations = {"cpt": CPT, "noisy_or": NOISY_OR}
    counts = {relations[name]: count for name, count in kept.items()}
    return Pilot(counts, 0.0, 0.0, candidates, 2, 0.0)


def test_amounts_add_up_and_an_unknown_end_stays_unknown() -> None:
    assert Amount(1, 2, 3) + Amount(10, 20, 30) == Amount(11, 22, 33)
    assert Amount(1, 2, None) + Amount(10, 20, 30) == Amount(11, 22, None)
    assert total_of({"one": Amount(1, 2, 3), "other": Amount(1, 1, 1)}) == Amount(2, 3, 4)


def test_working_memory_by_hand() -> None:
    data = three_rows()
    assert packed_bytes(data) == 3 * 16
    # Usual: 24 bytes a record, the root twice and three for each parent. At most: 144 for the
    # child, and 96 for the root, its copy and each parent. And 8 for each of 10 logarithms.
    assert work_bytes(data, 2, 1) == Amount(0, 3 * 24 * 8 + 80, 3 * (144 + 96 * 4) + 80)
    assert work_bytes(data, 2, 5).about == 5 * work_bytes(data, 2, 1).about
    assert work_bytes(data, 20, 1).about == work_bytes(data, 4, 1).about
    assert work_bytes(data, 20, 1).most == 3 * (144 + 96 * 22) + 80


def test_more_states_take_more_words_and_more_counts() -> None:
    variables = tuple(Variable(f"v{number}", tuple("abcde")) for number in range(22))
    data = Dataset(variables, np.eye(3, 22, dtype=np.uint8), np.array([2, 3, 5]))
    # 66 bits in two words, and five counts: 56 bytes a record and level.
    assert packed_bytes(data) == 3 * 24
    assert work_bytes(data, 0, 1) == Amount(0, 3 * 56 * 2 + 80, 3 * (192 + 2 * (56 + 40) * 2) + 80)


def test_more_variables_take_more_words() -> None:
    data = three_rows(tuple(f"v{number}" for number in range(65)))
    assert work_bytes(data, 0, 1) == Amount(0, 3 * 32 * 2 + 80, 3 * (192 + 144 * 2) + 80)


def test_fits_take_room_for_every_presence() -> None:
    # Three records, with one variable each.
    assert fitting_bytes(three_rows(), 2) == Amount(0, 2 * 3 * (50 + 8), 4 * 3 * (50 + 8))
    data, known = three_rows(), Knowledge().constraints(NAMES)
    with_fits = scoring_memory(data, known, tried(2, cpt=1, noisy_or=1), 2, 0)[WORK]
    assert with_fits == work_bytes(data, 2, 2) + fitting_bytes(data, 2)


def test_every_child_that_waits_has_the_records() -> None:
    assert waiting_bytes(three_rows()) == Amount(0, 3 * (96 + 80), 3 * (48 + 96 + 80))


def test_a_table_is_sure_if_the_trial_was_exact_and_else_four_times_more_or_less() -> None:
    exact, sampled = tried(2, cpt=10, noisy_or=100), tried(1, cpt=10, noisy_or=100)
    assert table_bytes(exact) == Amount(1700 + 30_000, 2400 + 40_000, 2600 + 50_000)
    assert table_bytes(sampled) == Amount(31_700 / 4, 42_400, 52_600 * 4)


@pytest.mark.parametrize(("most", "parents"), [(None, 2), (1, 1), (9, 2)])
def test_the_parts_of_scoring(most: int | None, parents: int) -> None:
    data = three_rows()
    known = Knowledge(max_parents=most).constraints(NAMES)
    found = scoring_memory(data, known, tried(2, cpt=1), 2, 1000)
    assert found == {
        PROGRAM: Amount(1000 + 10 * MIB, 1000 + 20 * MIB, 1000 + 40 * MIB),
        WORK: work_bytes(data, parents, 2),
        TABLE: Amount(170, 240, 260),
    }
    alone = Constraints(NAMES, (0, 0, 0), (0, 0, 0), None)
    assert scoring_memory(data, alone, tried(2, cpt=1), 1, 0)[WORK] == work_bytes(data, 0, 1)


def test_the_peak_so_far_is_no_less_than_what_is_there() -> None:
    before = peak_memory()
    block = np.ones(4 * MIB, dtype=np.uint8)
    assert peak_memory() >= max(before, block.nbytes)


APART = """
import json
from pathlib import Path
import numpy as np
from noisyor.core import Dataset, Knowledge
from noisyor.scoring import score
from noisyor.core.machine import peak_memory
from noisyor.scoring.memory import work_bytes
rows = np.unique(np.random.default_rng(1).integers(0, 2**24, 100_000, dtype=np.uint64))
names = tuple(f"v{number}" for number in range(24))
data = Dataset.from_bits(names, rows[:, None], np.ones(len(rows), dtype=np.int64))
grown, tried = [], []
for parents in (1, 2):
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_memory()
    known = Knowledge(max_parents=parents).constraints(names)
    scored = score(data, 20, relations=["cpt"], constraints=known, children=[0], jobs=1)
    grown.append(peak_memory() - before)
    tried.append(sum(one.evaluated for one in scored.statistics.relations.values()))
print(json.dumps({"grown": grown, "tried": tried, "most": work_bytes(data, 2, 1).most}))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
def test_a_thread_keeps_to_its_bound_however_many_families_are_tried() -> None:
    done = subprocess.run(
        [sys.executable, "-c", APART],
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["tried"][1] > 5 * found["tried"][0]
    slack = 16 * MIB  # of the allocator and of what Python does meanwhile
    assert max(found["grown"]) <= found["most"] + slack


@pytest.mark.parametrize(("variables", "states", "words"), [(1024, 2, 16), (1024, 16, 64)])
def test_the_widest_records_have_a_size(variables: int, states: int, words: int) -> None:
    labels = tuple(f"s{state}" for state in range(states))
    own = tuple(Variable(f"v{v}", labels) for v in range(variables))
    data = Dataset(own, np.zeros((1, variables), np.uint8), np.array([9]))
    assert packed_bytes(data) == 8 * words + 8
