"""Run a GOBNILP binary and noisyor on the same score files.

    python -m benchmarks.race.gobnilp BINARY [--only DATA/FACTOR ...] [--limit SECONDS] [--again]
                                      [--datasets FOLDER]

`make race GOBNILP=/path/to/gobnilp` does this, too. BINARY is a program that you have; this project
neither contains nor builds it. For credible sets it must be the development version of Liao et al.
(2019). The score files have the full tables of a data set that credible networks may have, in the
format of GOBNILP; both programs get the same file, noisyor right before GOBNILP. Results are added
to benchmarks/results/gobnilp.jsonl, with hashes of the file and the binary. Stored cases are not
run again without --again.
"""

import hashlib
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import Results, dataset_file, read_dataset
from benchmarks.harness.options import add_datasets, parser_of
from benchmarks.race.gobnilp.page import RUNS
from benchmarks.race.gobnilp.solver import best_network, credible_networks, noisyor_networks
from noisyor.core import BayesFactor
from noisyor.formats.jkl import jkl_bytes
from noisyor.scoring import score

LIMIT = 600.0  # seconds of elapsed time, of each call


@dataclass(frozen=True, slots=True)
class Case:
    """A data set and a Bayes factor."""

    data: str
    factor: int

    @property
    def key(self) -> str:
        """The key of the result."""
        return f"{self.data}/{self.factor}"


CASES = (
    Case("zoo", 3),
    Case("zoo", 20),
    Case("nltcs", 3),
    Case("hepatitis", 20),
    Case("parkinsons", 3),
    Case("autos", 3),
    Case("flag", 20),
    Case("soybean", 3),
)


def measure(binary: Path, data: Path, factor: int, limit: float) -> Results:
    """Return what both programs need for one score file, and what they find."""
    table = score(read_dataset(data), factor, relations=("cpt",)).table
    scores = jkl_bytes(table)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / f"{data.stem}.jkl"
        file.write_bytes(scores)
        own = noisyor_networks(file, folder, limit, factor)
        best = best_network(binary, file, folder, limit)
        networks = (
            credible_networks(binary, file, folder, limit, best["cost"], BayesFactor(factor).slack)
            if "cost" in best
            else {"nothing_because": "the best network is not known"}
        )
    return {
        "variables": len(table.names),
        "families": len(table),
        "limit": limit,
        "scores_sha256": hashlib.sha256(scores).hexdigest(),
        "binary_sha256": hashlib.sha256(binary.read_bytes()).hexdigest(),
        "noisyor": own,
        "best": best,
        "credible": networks,
    }


def main() -> None:
    """Run the cases that are not stored."""
    parser = parser_of(__doc__)
    add_datasets(parser)
    parser.add_argument("binary", type=Path)
    keys = [case.key for case in CASES]
    parser.add_argument("--only", nargs="+", choices=keys, default=keys, metavar="DATA/FACTOR")
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--again", action="store_true", help="also run what is stored")
    options = parser.parse_args()
    binary = options.binary.resolve()
    if not binary.is_file():
        sys.exit(f"{options.binary} is not a file; name the gobnilp that you have")
    kept = KeptResults(RUNS)
    for case in CASES:
        if case.key not in options.only or (case.key in kept and not options.again):
            continue
        file = dataset_file(options.datasets, case.data)
        result = measure(binary, file, case.factor, options.limit)
        kept.add(case.key, result)
        for name in ("noisyor", "best", "credible"):
            one = result[name]
            said = one.get("nothing_because") or f"{one['busy_seconds']:.1f} s"
            print(f"{case.key}: {name}: {said}", flush=True)


if __name__ == "__main__":
    main()
