"""The commands that are cancelled, with all kernels among them, and the small files they need."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from typer.testing import CliRunner

from noisyor.cli import app
from noisyor.cli.command_group import COMMANDS
from noisyor.data.examples import example_csv, example_truth
from noisyor.formats.network_json import network_json
from noisyor.learning import learn
from noisyor.networks import sample_codes

RECORDS = 5000
SOME = 300  # records, where each takes long


@dataclass(frozen=True)
class Job:
    """A command to cancel: its arguments in a folder with the inputs, and what it writes there."""

    name: str
    arguments: tuple[str, ...]
    writes: str | None = None  # a file or a folder

    @property
    def command(self) -> str:
        """The subcommand."""
        return self.arguments[0]


def _job(name: str, arguments: str, writes: str | None = None) -> Job:
    return Job(name, (*arguments.split(), *(("-o", writes) if writes else ())), writes)


JOBS = (
    _job("describe", "describe gaps.csv"),
    _job("examples", "examples pump", "written.csv"),
    _job("binarize", "binarize numbers.csv", "binary.csv"),
    _job("estimate", "estimate many.csv"),
    _job("learn, table", "learn pump.csv --method table --quiet", "by-table"),
    _job("learn, price", "learn pump.csv --method price --quiet", "by-price"),
    _job("learn, layers", "learn many.csv --method layers --time-limit 4 --quiet", "layers"),
    _job("learn, EM", "learn gaps.csv --missing em --starts 1 --completions 3 --quiet", "by-em"),
    _job("learn, bootstrap", "learn pump.csv --bootstrap 5 --quiet", "resampled"),
    _job("calibrate", "calibrate some.csv --bootstrap 5 --quiet"),
    _job(
        "compare-scores",
        "compare-scores some.csv --folds 2 --score bic --relations cpt --relations paper --quiet",
    ),
    _job("score", "score pump.csv --quiet", "new.parquet"),
    _job("score, jkl", "score many.csv --max-parents 2 --quiet", "new.jkl"),
    _job("merge", "merge part1 part2", "merged.parquet"),
    _job("search", "search pump.parquet --members members.parquet --quiet"),
    _job("show", "show pump.json --node vibration --data pump.csv"),
    Job("convert", ("convert", "pump.json", "pump.xdsl"), "pump.xdsl"),
    _job("compare", "compare pump.json truth.json"),
    _job("impute", "impute gaps.csv --network truth.json --draws 3", "filled.csv"),
    _job("fit", "fit truth.json pump.csv --prior-weight 10", "fitted.json"),
    _job("likelihood", "likelihood truth.json pump.csv"),
    _job("query", "query run/networks.json vibration --given low_pressure=1"),
    _job("advise", "advise truth.json worn_bearing"),
    _job("sample", "sample truth.json -n 50000", "sampled.csv"),
    _job("report", "report run", "page.html"),
)
PREPARED = (
    "score pump.csv --quiet -o pump.parquet",
    "score pump.csv --quiet --children 1-5 -o part1",
    "score pump.csv --quiet --children 6-10 -o part2",
)
assert {job.command for job in JOBS} == set(COMMANDS), "every command is cancelled"


def write_inputs(folder: Path) -> None:
    """Write the files that the commands read, from fixed seeds."""
    truth = example_truth("pump")
    (folder / "pump.csv").write_bytes(example_csv("pump"))
    (folder / "truth.json").write_text(network_json(truth), encoding="utf-8")
    codes = sample_codes(truth, RECORDS, seed=1)
    rng = np.random.default_rng(2)
    gaps = rng.random((SOME, codes.shape[1])) < 0.2
    columns = {
        name: [states[code] for code in column.tolist()]
        for name, states, column in zip(truth.names, truth.states, codes.T, strict=True)
    }
    whole = pl.DataFrame(columns)
    whole[:SOME].write_csv(folder / "some.csv")
    pl.DataFrame(
        {
            name: [None if gap else cell for cell, gap in zip(cells, lacking, strict=False)]
            for (name, cells), lacking in zip(columns.items(), gaps.T.tolist(), strict=True)
        }
    ).write_csv(folder / "gaps.csv")
    numbers = rng.normal(size=(RECORDS, 20)).cumsum(axis=1)
    pl.DataFrame(numbers, [f"x{v}" for v in range(20)]).write_csv(folder / "numbers.csv")
    many = (rng.random((1000, 60)) < 0.3).cumsum(axis=1) % 2
    pl.DataFrame(many.astype(int), [f"v{v}" for v in range(60)]).write_csv(folder / "many.csv")
    learned = learn(folder / "pump.csv", folder=folder / "run", quiet=True)
    (folder / "pump.json").write_text(network_json(learned.best), encoding="utf-8")
    for made in PREPARED:
        result = CliRunner().invoke(app, [_in(folder, word) for word in made.split()])
        if result.exit_code != 0:
            raise RuntimeError(f"noisyor {made}: {result.output}")


def _in(folder: Path, word: str) -> str:
    return str(folder / word) if word.partition(".")[0] in {"pump", "part1", "part2"} else word
