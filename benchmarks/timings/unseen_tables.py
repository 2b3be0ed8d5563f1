"""Compare estimates of time with runs on tables that the rule was not fitted to.

    python -m benchmarks.timings.unseen_tables [NAME ...]

Samples of twenty random networks, of numbers that no other benchmark uses, are estimated and then
learned, on one thread. What counts is processor time, which a busy machine hardly changes.
"""

import time

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import BAYES_FACTOR, Results, add_results, stored_results
from benchmarks.harness.options import parser_of
from benchmarks.harness.provenance import provenance
from benchmarks.harness.random_networks import Kind, network_name, random_network
from noisyor import learn
from noisyor.core.request import Request
from noisyor.networks import sample_dataset
from noisyor.runs.plan import Plan, method_for
from noisyor.runs.preflight import estimate

RESULTS_FILE = RESULTS_FOLDER / "unseen_tables.json"
VARIABLES = (10, 12, 15, 18, 20, 22, 25)
RECORDS = (200, 1000, 5000, 20_000)
INSTANCE = 70  # and up; the study has lower ones
TABLES = 20
SECONDS = 3000.0  # by the clock, after which a run is cut off, and not counted
COLUMNS = ("table", "n", "N", "method", "least, s", "about, s", "most, s", "took, s", "")
INTRODUCTION = f"""\
# Estimates of time for tables that the rule does not know

Bayes factor {BAYES_FACTOR}, the default relations, one thread, the method that `learn` chooses;
made by `python -m benchmarks.timings.unseen_tables`; the figures are in `unseen_tables.json`. The
tables are samples of random networks (`random_networks.py`), to which the rule was not fitted.
`least` and `most` are the range that `noisyor estimate` states, `about` its geometric middle, and
`took` the processor time of learning. *cut*: not done in {SECONDS:.0f} s by the clock.
"""


def cases() -> dict[str, tuple[str, int]]:
    """Return the tables: a network and a number of records each."""
    kinds = tuple(Kind)
    found = {}
    for place in range(TABLES):
        network = network_name(
            kinds[place % len(kinds)], VARIABLES[place % len(VARIABLES)], INSTANCE + place
        )
        records = RECORDS[place // len(kinds) % len(RECORDS)]
        found[f"{network} x {records}"] = (network, records)
    return found


def main() -> None:
    """Estimate, learn, write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", help="tables; default: those without a result")
    asked = parser.parse_args()
    stored = stored_results(RESULTS_FILE)
    for name, (network, records) in cases().items():
        if name in asked.names or not (asked.names or name in stored):
            add_results(RESULTS_FILE, {name: measure(network, records)}, page)
    print(page(stored_results(RESULTS_FILE)))


def measure(network: str, records: int) -> Results:
    """Return what was estimated and what it took."""
    data = sample_dataset(random_network(network), records, seed=1)
    request = Request.of(data, BAYES_FACTOR, jobs=1)
    expected = estimate(request, method=method_for(request, Plan()))
    span = expected.total_seconds
    began = time.process_time()
    learned = learn(data, BAYES_FACTOR, jobs=1, time_limit=SECONDS, quiet=True)
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "method": str(expected.method),
        "least": span.least,
        "about": span.middle,
        "most": span.most,
        "took": time.process_time() - began,
        "complete": learned.complete,
        "provenance": provenance(),
    }


def page(results: Results) -> str:
    """Return the results as a page."""
    rows = (_row(name, one) for name, one in results.items())
    ended = {name: one for name, one in results.items() if one["complete"]}
    outside = [name for name, one in ended.items() if not _is_within(one)]
    said = f"Of {len(ended)} runs that ended, {len(ended) - len(outside)} are within their range."
    if outside:
        said += f" The others: {', '.join(outside)}."
    return "\n".join([INTRODUCTION, table(COLUMNS, rows), "", said]) + "\n"


def _is_within(one: Results) -> bool:
    return bool(one["least"] <= one["took"] and (one["most"] is None or one["took"] <= one["most"]))


def _row(name: str, one: Results) -> tuple[str, ...]:
    verdict = "" if _is_within(one) else "outside"
    return (
        name,
        f"{one['variables']}",
        f"{one['records']:,}",
        one["method"],
        f"{one['least']:.2f}",
        "-" if one["about"] is None else f"{one['about']:.1f}",
        "-" if one["most"] is None else f"{one['most']:.1f}",
        f"{one['took']:.2f}",
        verdict if one["complete"] else "cut",
    )


if __name__ == "__main__":
    main()
