"""Speed and accuracy of the three noisy-OR fitters on the same families.

    python -m benchmarks.timings.fitting [--datasets FOLDER] [--data zoo] [--families 200]
                                         [--runs 5]

For each variable as the child, random parent sets of 2 to 8 that cover every record with the child
present. Newton's method solves each to a proven gap of 1e-8 nats; `gradient` is Algorithm 1 and
`em` expectation-maximisation, each at its usual threshold, and at a looser one. Each kernel call
fits all sets of a child, so Python's overhead is shared by hundreds of fits. Fits start cold. One
core; the best of several runs counts. The excess is over the certified optimum.
"""

import json
import platform
import random
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import dataset_file, read_dataset
from benchmarks.harness.options import add_datasets, parser_of
from noisyor._kernels import build_name, kernels
from noisyor.core import Dataset
from noisyor.core.variable_sets import set_of
from noisyor.files.whole import write_whole
from noisyor.fitting.fitters import FitterSettings, settings_of
from noisyor.fitting.noisy_or import fit_parent_sets

RESULTS = RESULTS_FOLDER / "fitting.json"
SIZES = (2, 8)
CONTENDERS = {
    "newton": settings_of("newton"),
    "gradient, threshold 1e-3": settings_of("gradient", threshold=1e-3),
    "gradient, threshold 1e-6": settings_of("gradient"),
    "em, threshold 1e-6": settings_of("em", threshold=1e-6),
    "em, threshold 1e-8": settings_of("em"),
}

Sets = list[list[int]]


def feasible_sets(data: Dataset, families: int) -> Sets:
    """Return for each child random parent sets that have a finite likelihood."""
    choose = random.Random(1)  # noqa: S311 (an experiment, not a secret)
    chosen: Sets = []
    for child in range(data.variable_count):
        others = [v for v in range(data.variable_count) if v != child]
        sizes = [choose.randint(SIZES[0], min(SIZES[1], len(others))) for _ in range(families)]
        sets = [set_of(choose.sample(others, size)) for size in sizes]
        upper = fit_parent_sets(data, child, sets, CONTENDERS["newton"], leak=False).upper
        chosen.append([one for one, cost in zip(sets, upper, strict=True) if np.isfinite(cost)])
    return chosen


def race(
    data: Dataset, sets: Sets, settings: FitterSettings, runs: int
) -> tuple[dict[str, float], npt.NDArray[np.float64]]:
    """Return the speed, the iterations and the converged share of a fitter, and its costs."""
    best = np.inf
    for _ in range(runs):
        start = time.perf_counter()
        fits = [
            fit_parent_sets(data, child, some, settings, leak=False)
            for child, some in enumerate(sets)
        ]
        best = min(best, time.perf_counter() - start)
    costs = np.concatenate([one.upper for one in fits])
    iterations = np.concatenate([one.steps for one in fits])
    converged = np.concatenate([one.ends for one in fits]) == kernels.FitEnd.CONVERGED
    figures = {
        "fits_per_second": round(len(costs) / best),
        "median_iterations": float(np.median(iterations)),
        "most_iterations": int(iterations.max()),
        "converged": round(float(converged.mean()), 4),
    }
    return figures, costs


def compare(data: Dataset, sets: Sets, runs: int) -> dict[str, dict[str, float]]:
    """Return every contender's figures, with its excess over Newton's certified optimum."""
    results: dict[str, dict[str, float]] = {}
    optimum: npt.NDArray[np.float64] | None = None
    for name, settings in CONTENDERS.items():
        figures, costs = race(data, sets, settings, runs)
        optimum = costs if optimum is None else optimum
        excess = np.maximum(costs - optimum, 0)
        newton = results["newton"]["fits_per_second"] if results else figures["fits_per_second"]
        results[name] = figures | {
            "median_excess": float(f"{np.median(excess):.2g}"),
            "worst_excess": float(f"{excess.max():.2g}"),
            "newton_is_faster_by": round(newton / figures["fits_per_second"], 1),
        }
    return results


def page(report: dict[str, Any]) -> str:
    """Return the results as a page."""
    few, many = report["parents"]
    headings = (
        "fitter",
        "fits/s",
        "Newton is faster by",
        "iterations (median, most)",
        "median excess",
        "worst excess",
        "converged",
    )
    rows = [
        (
            name,
            f"{one['fits_per_second']:,}",
            f"{one['newton_is_faster_by']}",
            f"{one['median_iterations']:g}, {one['most_iterations']:,}",
            f"{one['median_excess']:.1e}",
            f"{one['worst_excess']:.1e}",
            f"{one['converged']:.1%}",
        )
        for name, one in report["fitters"].items()
    ]
    lines = [
        "# Three fitters on the same noisy-ORs",
        "",
        f"{report['fitted']} feasible families of {report['table']}, {few} to {many} parents, cold",
        f"starts, one core, the best of {report['runs']} runs.",
        "Excess is over the certified optimum, in nats; `converged` requires a proven gap below",
        "1e-3 nats as well as the fitter's own stopping test. Made by",
        "`python -m benchmarks.timings.fitting`; the figures are in `fitting.json`.",
        "",
        table(headings, rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Race the fitters, print and write the results."""
    parser = parser_of(__doc__)
    add_datasets(parser)
    parser.add_argument("--data", default="zoo", metavar="NAME")
    parser.add_argument("--families", type=int, default=200, help="parent sets drawn per child")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    data = read_dataset(dataset_file(options.datasets, options.data))
    sets = feasible_sets(data, options.families)
    report: dict[str, Any] = {
        "table": f"{options.data}.csv",
        "drawn": options.families * data.variable_count,
        "fitted": sum(len(some) for some in sets),
        "parents": list(SIZES),
        "runs": options.runs,
        "kernels": build_name,
        "machine": platform.machine(),
        "versions": {name: version(name) for name in ("noisyor", "numpy")},
        "fitters": compare(data, sets, options.runs),
    }
    print(page(report))
    write_whole(
        {
            options.output: (json.dumps(report, indent=2) + "\n").encode(),
            options.output.with_suffix(".md"): page(report).encode(),
        }
    )


if __name__ == "__main__":
    main()
