"""Time and memory of scoring whole tables, on the paper's sixteen data sets.

    python -m benchmarks.timings.scoring [--datasets FOLDER] [--only NAME ...] [--limit SECONDS]
                                         [--jobs N]

The folder holds one CSV file of zeros and ones per data set, for example zoo.csv (by default
../shared/datasets). Each data set is scored in a separate process, twice: with full tables only,
and with noisy-ORs as well. A run that does not end within the limit is cancelled and reported with
the children that did finish. Results are added to
benchmarks/results/scoring.json, and the table in benchmarks/results/scoring.md is written from it.
"""

import argparse
import json
import time
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import (
    BAYES_FACTOR,
    RELATIONS,
    Results,
    add_results,
    dataset_file,
    goal_by_dataset,
    measure_apart,
    read_dataset,
)
from benchmarks.harness.options import add_run_options, parser_of
from benchmarks.harness.resources import peak_mib
from noisyor.scoring import score

RESULTS = RESULTS_FOLDER / "scoring.json"
GOAL_SECONDS = goal_by_dataset(
    {
        2: ("zoo", "nltcs", "adult", "msnbc"),
        10: ("letter", "hepatitis", "parkinsons", "autos", "flag", "horse"),
        60: ("soybean", "sensors"),
        300: ("alarm", "bands", "wdbc", "spectf"),
    }
)
DATASETS = tuple(GOAL_SECONDS)
HEADINGS = (
    "data",
    "n",
    "N",
    "CPT only, s",
    "both, s",
    "goal, s",
    "children",
    "kept",
    "noisy-OR",
    "pruned",
    "noisy-OR fitted",
    "bound fits",
    "peak MiB",
)


def measure(path: Path, relations: str, limit: float, jobs: int) -> Results:
    """Score one data set in this process."""
    data = read_dataset(path)
    started = time.perf_counter()
    scored = score(data, BAYES_FACTOR, relations=RELATIONS[relations], jobs=jobs, time_limit=limit)
    statistics = scored.statistics
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "seconds": time.perf_counter() - started,
        "jobs": jobs,
        "peak_mib": peak_mib(),
        "children_done": len(scored.children),
        "complete": scored.table.scope.complete,
        "kept": len(scored.table),
        "largest_gap": float(scored.table.gaps.max(initial=0)),
        "newton_steps": statistics.fits.newton_steps,
        "families": {
            relation.name: {
                "considered": one.considered,
                "fitted": one.evaluated,
                "bounds": one.bounds,
                "kept": one.kept,
                "pruned_percent": one.pruned_percent,
            }
            for relation, one in statistics.relations.items()
        },
    }


def noisy_or_rate(path: Path) -> dict[str, float]:
    """Return noisy-OR families decided a second on one core: the time beyond full tables alone."""
    best: dict[str, float] = {}
    for relations in RELATIONS:
        runs = [measure(path, relations, 600, 1) for _ in range(5)]
        best[relations] = min(run["seconds"] for run in runs)
    work = runs[-1]["families"]["noisy-or"]
    seconds = best["both"] - best["cpt"]
    return {
        "seconds_for_noisy_or": seconds,
        "families_decided_per_second": work["fitted"] / seconds,
        "fits_per_second": (work["fitted"] + work["bounds"]) / seconds,
    }


def rows(name: str, results: Results) -> list[list[str]]:
    """Return a data set's line of the table, if it was scored with both relations and without."""
    both, cpt = results.get(f"{name}/both"), results.get(f"{name}/cpt")
    if both is None or cpt is None:
        return []
    work = both["families"].get("noisy-or", {"kept": 0, "fitted": 0, "bounds": 0})
    considered = sum(one["considered"] for one in both["families"].values())
    pruned = 100 * (1 - both["kept"] / considered) if considered else 0
    return [
        [
            name,
            str(both["variables"]),
            f"{both['records']:,}",
            f"{cpt['seconds']:.2f}",
            f"{'' if both['complete'] else '> '}{both['seconds']:.2f}",
            str(GOAL_SECONDS[name]),
            f"{both['children_done']}/{both['variables']}",
            f"{both['kept']:,}",
            f"{work['kept']:,}",
            f"{pruned:.4f} %",
            f"{work['fitted']:,}",
            f"{work['bounds']:,}",
            f"{both['peak_mib']:.0f}",
        ]
    ]


def page(results: Results) -> str:
    """Return the results as a page."""
    lines = [
        "# Scoring all sixteen data sets",
        "",
        "Bayes factor 20, no limit on parents. Made by",
        "`python -m benchmarks.timings.scoring`; the figures are in `scoring.json`.",
        "`goal` is the project's target for both relations. Where a run did not end within its",
        "limit, `children` says how many were finished by then.",
        "",
        table(HEADINGS, (row for name in DATASETS for row in rows(name, results))),
    ]
    rate = results.get("rate")
    if rate is not None:
        decided, fits = rate["families_decided_per_second"], rate["fits_per_second"]
        lines += [
            "",
            f"On zoo, one core decides {decided:,.0f} noisy-OR families a second ({fits:,.0f} fits",
            "with those that bound subtrees): the time with both relations less the time with full",
            "tables alone, the best of five runs each.",
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    add_run_options(parser, DATASETS, 300.0)
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        path, relations, limit, jobs = options.measure
        print(json.dumps(measure(Path(path), relations, float(limit), int(jobs))))
        return
    results: Results = {}
    for name in options.only:
        path = dataset_file(options.datasets, name)
        for relations in RELATIONS:
            arguments = [str(path), relations, str(options.limit), str(options.jobs)]
            result = measure_apart(__spec__.name, arguments, 10 * options.limit + 600)
            new: Results = {f"{name}/{relations}": result}
            print(f"{name} {relations}: {result['seconds']:.2f} s, {result['kept']:,} kept")
            if name == "zoo" and relations == "both":
                new["rate"] = noisy_or_rate(path)
            results = add_results(RESULTS, new, page)
    print(page(results))


if __name__ == "__main__":
    main()
