"""A run that is killed at any point resumes from its checkpoint, with the same result."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import noisyor
from noisyor.core import (
    Cpt,
    CredibleSet,
    Dataset,
    Distribution,
    Family,
    FormatError,
    MismatchError,
    NoisyOr,
    SettingsError,
    Structure,
)
from noisyor.core.family_source import Price
from noisyor.core.request import Request
from noisyor.core.variable import variables_of
from noisyor.networks import sample_dataset
from noisyor.runs.checkpoint import FOLDER, Checkpoint, KeptSource
from noisyor.runs.work import TableWork
from noisyor.scoring import RecordSource, score
from noisyor.search import search_by_price
from tests.support.effort import HANGS_AFTER


def records(variables: int) -> Dataset:
    """Return records of causes and their effects, enough to keep a run busy for a while."""
    random = np.random.default_rng(variables)
    causes = variables // 2
    names = tuple(f"v{v}" for v in range(variables))
    families: list[Family] = []
    distributions: list[Distribution] = []
    for v in range(variables):
        if v < causes:
            families.append(Family(v, 0))
            distributions.append(Cpt.binary([float(random.uniform(0.1, 0.4))]))
            continue
        above = sorted(random.choice(causes, 3, replace=False).tolist())
        families.append(Family(v, sum(1 << u for u in above), noisyor.NOISY_OR))
        distributions.append(NoisyOr(random.uniform(0.1, 0.6, 3)))
    network = noisyor.Network(
        Structure(names, tuple(families)),
        variables_of(names),
        tuple(distributions),
        None,
        noisyor.Provenance("test"),
    )
    return sample_dataset(network, 400, seed=3)


def facts(credible: CredibleSet) -> dict[object, tuple[int, float, float]]:
    """Return everything about the families of a credible set, for comparison."""
    return {
        use.family: (use.networks, round(use.weight, 9), round(use.cost, 6))
        for use in credible.families
    }


def killed_once(folder: Path, data: Path, method: str, pattern: str) -> None:
    """Start a run and kill it as soon as a file of this pattern is there."""
    code = (
        "import sys, noisyor; "
        "noisyor.learn(sys.argv[1], method=sys.argv[2], folder=sys.argv[3], jobs=1, "
        "relations='paper')"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(data), method, str(folder)])
    until = time.monotonic() + HANGS_AFTER
    try:
        while process.poll() is None and time.monotonic() < until:
            if any(folder.glob(f"{FOLDER}/{pattern}")):
                os.kill(process.pid, signal.SIGKILL)
                break
            time.sleep(0.002)
    finally:
        process.kill()
        process.wait(timeout=HANGS_AFTER)
    assert any(folder.glob(f"{FOLDER}/{pattern}"))
    assert not (folder / "summary.json").exists()


@pytest.mark.parametrize(
    ("method", "pattern"),
    [
        pytest.param("table", "child-*.parquet", marks=pytest.mark.slow),
        pytest.param("price", "child-*.parquet", marks=pytest.mark.slow),
        ("price", "offer-*.parquet"),
    ],
)
def test_a_killed_run_ends_like_an_undisturbed_one(
    tmp_path: Path, method: str, pattern: str
) -> None:
    data, folder = records(20), tmp_path / "run"
    table = tmp_path / "records.parquet"
    frame_of(data).write_parquet(table)
    assert noisyor.read(table) == data
    killed_once(folder, table, method, pattern)
    kept = {path.name: path.read_bytes() for path in (folder / FOLDER).iterdir()}
    again = noisyor.learn(data, method=method, folder=folder, relations="paper")
    undisturbed = noisyor.learn(data, method=method, relations="paper")
    assert kept
    assert again.count == undisturbed.count
    assert again.optimum == pytest.approx(undisturbed.optimum, abs=1e-9)
    assert facts(again.credible) == facts(undisturbed.credible)
    assert not (folder / FOLDER).exists()
    if method == "table":
        assert isinstance(again.work, TableWork)
        assert isinstance(undisturbed.work, TableWork)
        assert again.work.scoring.considered == undisturbed.work.scoring.considered
        assert again.work.scoring.kept == undisturbed.work.scoring.kept


def frame_of(data: Dataset) -> pl.DataFrame:
    """Return all records as a frame."""
    return pl.DataFrame(
        {
            name: np.repeat(data.column(v), data.weights).astype(np.uint8)
            for v, name in enumerate(data.names)
        }
    )


def test_finished_children_come_back_as_they_were(tmp_path: Path) -> None:
    data = noisyor.load_example("pump")
    checkpoint = Checkpoint(tmp_path)
    whole = score(data, 20, keep=checkpoint.keep_child)
    finished = checkpoint.finished()
    assert sorted(finished) == list(range(data.variable_count))
    again = score(data, 20, finished=finished)
    assert again.table == whole.table
    assert again.statistics == whole.statistics


def test_part_of_the_children_suffices(tmp_path: Path) -> None:
    data = noisyor.load_example("pump")
    checkpoint = Checkpoint(tmp_path)
    whole = score(data, 20, keep=checkpoint.keep_child)
    (tmp_path / FOLDER / "child-0.parquet").unlink()
    finished = checkpoint.finished()
    assert 0 not in finished
    scored_now: list[int] = []
    again = score(
        data,
        20,
        finished=finished,
        keep=lambda table, _: scored_now.append(int(table.children[0])),
    )
    assert again.table == whole.table
    assert again.statistics.considered == whole.statistics.considered
    assert scored_now == [0]


def test_offers_are_kept_and_given_again(tmp_path: Path) -> None:
    data = records(16)
    first = Checkpoint(tmp_path)
    source = RecordSource(Request.of(data, 20), keep=first.keep_child)
    whole = search_by_price(KeptSource(source, first), 20)
    kept = first.offers()
    assert kept
    second = Checkpoint(tmp_path)
    source = RecordSource(Request.of(data, 20), finished=second.finished())
    again = search_by_price(KeptSource(source, second), 20)
    assert again.table == whole.table
    assert again.credible.families == whole.credible.families
    # Every query was answered before: nothing is searched again.
    assert second.offers().keys() == kept.keys()
    assert source.statistics.passes == 1


def test_what_was_stopped_is_not_kept(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    source = KeptSource(RecordSource(Request.of(records(12), 20)), checkpoint)
    source.seed(lambda: False)
    source.within([[Price(0.0)]] * 12, stop=lambda: True)
    assert checkpoint.offers() == {}
    source.within([[Price(0.0)]] * 12, stop=lambda: False)
    assert len(checkpoint.offers()) == 1


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("child-1.parquet", lambda old: old[:-40], "child-1.parquet is not a readable Parquet"),
        ("child-1.json", lambda _: b"", "child-1.json is damaged: it is not JSON"),
        ("child-1.json", lambda old: old.replace(b'"fits"', b'"fit"'), "document lacks 'fits'"),
        ("child-1.json", lambda old: old.replace(b'"kept": ', b'"kept": 1'), "match its digest"),
        ("child-1.json", lambda old: old.replace(b'"kept": ', b'"kept": -'), "must be at least 0"),
        (
            "child-1.json",
            lambda old: old.replace(b'"leaky-noisy-or"', b'"xor"'),
            "no relation 'xor'",
        ),
        ("offer-000000.parquet", lambda _: b"PAR1", "offer-000000.parquet is not a readable"),
        ("offer-000000.json", lambda _: b"\xff", "offer-000000.json is damaged: 'utf-8' codec"),
        (
            "offer-000000.json",
            lambda old: old.replace(b"true", b"1", 1),
            "must be a list of 3 values, true or",
        ),
        ("offer-000000.json", lambda old: old.replace(b"true", b"false", 1), "match its digest"),
    ],
)
def test_damaged_files_are_refused_with_a_way_to_go_on(
    name: str, damage: Callable[[bytes], bytes], message: str, tmp_path: Path
) -> None:
    data = noisyor.read(np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]] * 5), names=[*"abc"])
    checkpoint = Checkpoint(tmp_path)
    source = KeptSource(RecordSource(Request.of(data, 20), keep=checkpoint.keep_child), checkpoint)
    source.seed(lambda: False)
    source.within([[Price(100.0)]] * 3, stop=lambda: False)
    score(data, 20, keep=checkpoint.keep_child)
    read = checkpoint.finished if name.startswith("child") else checkpoint.offers
    assert read()
    path = tmp_path / FOLDER / name
    written = path.read_bytes()
    assert damage(written) != written
    path.write_bytes(damage(written))
    with pytest.raises(FormatError, match=message) as refusal:
        read()
    table = path.with_suffix(".parquet")
    assert f"Remove {table} to repeat only that part" in str(refusal.value)
    assert f"remove the folder {table.parent} to start anew" in str(refusal.value)
    table.unlink()
    assert len(read()) == (2 if name.startswith("child") else 0)


def test_removing_an_offer_removes_no_other(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    source = KeptSource(RecordSource(Request.of(records(12), 20)), checkpoint)
    source.seed(lambda: False)
    for price in (0.0, 1.0):
        source.within([[Price(price)]] * 12, stop=lambda: False)
    (tmp_path / FOLDER / "offer-000000.parquet").unlink()
    (left,) = checkpoint.offers()
    source.within([[Price(2.0)]] * 12, stop=lambda: False)
    assert left in checkpoint.offers()
    assert len(checkpoint.offers()) == 2


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    score(noisyor.load_example("pump"), 20, keep=checkpoint.keep_child)
    folder = tmp_path / FOLDER
    (folder / "child-1.parquet").write_bytes((folder / "child-0.parquet").read_bytes())
    with pytest.raises(
        FormatError, match=r"child-1.parquet holds .* other children: child-0\. Rem"
    ):
        checkpoint.finished()
    other = Checkpoint(tmp_path / "other")
    score(noisyor.load_example("clinic"), 20, keep=other.keep_child)
    foreign = tmp_path / "other" / FOLDER / "child-1.parquet"
    (folder / "child-1.parquet").write_bytes(foreign.read_bytes())
    with pytest.raises(
        MismatchError, match=r"child-1.parquet and .*child-0.parquet come from differ"
    ):
        checkpoint.finished()


def test_the_files_of_a_finished_run_are_removed(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    score(noisyor.load_example("pump"), 20, keep=checkpoint.keep_child)
    assert (tmp_path / FOLDER).exists()
    checkpoint.remove()
    assert not (tmp_path / FOLDER).exists()


def test_other_data_and_settings_are_refused(tmp_path: Path) -> None:
    noisyor.learn(noisyor.load_example("pump"), folder=tmp_path / "run")
    with pytest.raises(MismatchError, match="a run that differs in: data"):
        noisyor.learn(noisyor.load_example("clinic"), folder=tmp_path / "run")
    with pytest.raises(
        MismatchError, match="a run that differs in: bayes_factor; name another folder"
    ):
        noisyor.learn(noisyor.load_example("pump"), 3, folder=tmp_path / "run")
    with pytest.raises(MismatchError, match="differs in: constraints"):
        noisyor.learn(
            noisyor.load_example("pump"),
            constraints=noisyor.Knowledge(max_parents=1),
            folder=tmp_path / "run",
        )


def test_a_run_killed_in_its_first_file_goes_on(tmp_path: Path) -> None:
    (tmp_path / ".run.json.0123456789abcdef").write_text("{", encoding="utf-8")
    learned = noisyor.learn(noisyor.load_example("pump"), folder=tmp_path)
    assert noisyor.load(tmp_path).count == learned.count


def test_more_networks_are_written_if_more_are_asked_for(tmp_path: Path) -> None:
    data = noisyor.load_example("clinic")
    noisyor.learn(data, folder=tmp_path, max_networks=2, relations="paper")
    assert noisyor.load(tmp_path).members_held == 2
    again = noisyor.learn(data, folder=tmp_path, relations="paper")
    assert again.members_held == again.count == 9
    assert len(noisyor.load(tmp_path).best_members(9)) == 9


def test_ctrl_c_ends_a_run_by_price_without_a_crash(tmp_path: Path) -> None:
    table = tmp_path / "records.parquet"
    frame_of(records(24)).write_parquet(table)
    code = (
        "import sys\n"
        "from noisyor.cli import main\n"
        "print('ready', flush=True)\n"
        "sys.argv[0] = 'noisyor'\n"
        "main()"
    )
    asked = ["learn", str(table), "--method", "price", "-o", str(tmp_path / "run")]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + HANGS_AFTER
    while not (tmp_path / "run" / FOLDER).exists() and time.monotonic() < until:
        time.sleep(0.002)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=HANGS_AFTER)
    kept, last = said.splitlines()
    assert kept.startswith(f"what is done is kept in {tmp_path / 'run'}; to go on: noisyor learn ")
    assert last == "interrupted"
    assert process.returncode == 128 + signal.SIGINT


FOREIGN = ("notes.parquet", "child-old.parquet", "offer-1.parquet", "child-1.txt", ".cache.json")


def test_only_our_own_files_are_removed(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path)
    score(noisyor.load_example("pump"), 20, keep=checkpoint.keep_child)
    half = tmp_path / FOLDER / ".child-3.json.0123456789abcdef"
    other_half = tmp_path / FOLDER / ".letter.txt.0123456789abcdef"
    for path in (half, other_half, *(tmp_path / FOLDER / name for name in FOREIGN)):
        path.write_text("precious", encoding="utf-8")
    Checkpoint(tmp_path)
    assert not half.exists()
    half.touch()
    checkpoint.remove()
    assert {path.name for path in (tmp_path / FOLDER).iterdir()} == {*FOREIGN, other_half.name}


def test_a_checkpoint_that_is_a_link_is_refused(tmp_path: Path) -> None:
    store, folder = tmp_path / "store", tmp_path / "run"
    store.mkdir()
    (store / "table.parquet").write_text("precious", encoding="utf-8")
    folder.mkdir()
    (folder / FOLDER).symlink_to(store)
    with pytest.raises(SettingsError, match=r"checkpoint is a link.*remove the link"):
        Checkpoint(folder)
    assert [path.name for path in store.iterdir()] == ["table.parquet"]


def test_a_link_that_takes_the_place_of_a_checkpoint_is_left_alone(tmp_path: Path) -> None:
    store, folder = tmp_path / "store", tmp_path / "run"
    checkpoint = Checkpoint(folder)
    (folder / FOLDER).rename(store)
    (folder / FOLDER).symlink_to(store)
    (store / "child-0.parquet").touch()
    checkpoint.remove()
    assert [path.name for path in store.iterdir()] == ["child-0.parquet"]
    assert (folder / FOLDER).is_symlink()


@pytest.mark.parametrize("name", ["child-0.json", "child-0.parquet", "offer-000000.json"])
def test_a_kept_file_that_is_a_link_is_refused(tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / name).symlink_to(precious)
    with pytest.raises(SettingsError, match=f"{name} is a link"):
        Checkpoint(tmp_path)
    assert precious.read_text(encoding="utf-8") == "precious"


def test_the_folder_of_a_run_keeps_what_is_not_ours(tmp_path: Path) -> None:
    pump, folder = noisyor.load_example("pump"), tmp_path / "run"
    noisyor.learn(pump, folder=folder, quiet=True)
    foreign = [folder / "letter.txt", folder / ".letter.txt.0123456789abcdef"]
    half = folder / ".best.bif.0123456789abcdef"
    for path in (*foreign, half):
        path.touch()
    before = {path.name for path in folder.iterdir()} - {half.name}
    noisyor.learn(pump, folder=folder, quiet=True)
    assert {path.name for path in folder.iterdir()} == before
    precious = tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    (folder / "summary.json").unlink()
    (folder / "summary.json").symlink_to(precious)
    with pytest.raises(SettingsError, match=r"summary\.json is a link"):
        noisyor.learn(pump, folder=folder, quiet=True)
    assert precious.read_text(encoding="utf-8") == "precious"


def test_halves_of_every_file_of_a_run_are_known(tmp_path: Path) -> None:
    """Partly written files that `open_run` does not know would never be removed."""
    pump = noisyor.load_example("pump")
    noisyor.learn(pump, folder=tmp_path, quiet=True)
    names = {path.name for path in tmp_path.iterdir()}
    for name in names:
        (tmp_path / f".{name}.0123456789abcdef").touch()
    noisyor.learn(pump, folder=tmp_path, quiet=True)
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_result_is_saved_to_no_folder_of_others(tmp_path: Path) -> None:
    learned = noisyor.learn(noisyor.load_example("pump"), quiet=True)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "summary.json").write_text("precious", encoding="utf-8")
    with pytest.raises(SettingsError, match="not empty and is not the folder of a run"):
        learned.save(theirs)
    assert (theirs / "summary.json").read_text(encoding="utf-8") == "precious"
    noisyor.learn(noisyor.load_example("clinic"), folder=tmp_path / "run", quiet=True)
    with pytest.raises(MismatchError, match="the folder of a run that differs in: result"):
        learned.save(tmp_path / "run")
    for _ in range(2):
        learned.save(tmp_path / "saved")
    assert noisyor.load(tmp_path / "saved").count == learned.count
