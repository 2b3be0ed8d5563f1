"""Emulate the code published with the paper on its data sets.

    python -m benchmarks.paper.table2.emulation [--only NAME ...] [--datasets FOLDER]

Results are added to benchmarks/results/emulation.jsonl; stored cases are not run again. `make
results` shows them on docs/results/table2.md.
"""

from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import dataset_file, read_dataset
from benchmarks.harness.options import add_datasets, parser_of
from benchmarks.paper.table2.emulation.plan import DATASETS, all_cases
from benchmarks.paper.table2.emulation.running import emulate
from benchmarks.paper.table2.statistics import EMULATED


def main() -> None:
    """Run the cases that are not stored."""
    parser = parser_of(__doc__)
    add_datasets(parser)
    parser.add_argument("--only", nargs="+", choices=DATASETS, default=DATASETS)
    options = parser.parse_args()
    kept = KeptResults(EMULATED)
    for case in all_cases():
        if case.data not in options.only or case.key in kept:
            continue
        data = read_dataset(dataset_file(options.datasets, case.data))
        result = emulate(data, case.departures, case.order)
        kept.add(case.key, result)
        print(f"{case.key}: {result['nodes']} nodes, {result['members']:,} networks", flush=True)


if __name__ == "__main__":
    main()
