"""Time of all marginals in networks of any states, compared with pyAgrum and pgmpy.

    python -m benchmarks.timings.queries_states [--only NETWORK ...] [--rounds N]

The networks are those of the bnlearn repository that pgmpy brings along. Each program runs in
separate processes, which are killed after a quarter of an hour; noisyor and pyAgrum take turns.
Results are added to benchmarks/results/queries_states.json, and the page queries_states.md is
written from it.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from math import inf
from pathlib import Path

import numpy as np

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import Results, add_results, nothing_because, try_apart
from benchmarks.harness.options import parser_of
from benchmarks.harness.resources import machine, peak_mib
from noisyor import __version__
from noisyor.core import Cpt, Family, Network, Provenance, Structure, Variable
from noisyor.core.relations import NOISY_OR
from noisyor.inference import Inference
from noisyor.interop import to_pgmpy, to_pyagrum
from noisyor.interop.network_files import read_network
from noisyor.interop.pyagrum_loading import load_pyagrum
from noisyor.networks import sample_codes

RESULTS = RESULTS_FOLDER / "queries_states.json"
NETWORKS = (
    "alarm",
    "hailfinder",
    "insurance",
    "win95pts",
    "andes",
    "pigs",
    "water",
    "munin",
    "diabetes",
    "link",
)
NOISY_MAX = "noisy-MAX of 100 causes"
CASES = (*NETWORKS, NOISY_MAX)
FINDINGS = (0, 3, 10)
ROUNDS = 3
REPEATS = 5
SHORT = 0.2
"""Seconds; a query that takes less is repeated."""
SEED = 7
TIMEOUT = 900.0
PATIENCE = 60.0
"""Seconds that pgmpy gets for one query; it answers for one variable after another."""

INTRODUCTION = """\
# Queries to networks of any states

All marginals given none, three and ten findings; made by
`python -m benchmarks.timings.queries_states`; the figures are in `queries_states.json`, with the
versions and the machine of each row. The findings are drawn at random from one record of the
network. Each program has loaded the network before. The time, in milliseconds, is that of the query
alone, through the program's usual interface, from the findings to a distribution of every other
variable in Python: the fastest of three rounds (link: one), in which noisyor and pyAgrum
(LazyPropagation, all threads) take turns; within a round, a query of less than 0.2 seconds is asked
five times (diabetes: once). pgmpy (VariableElimination) takes part in one round, for one
variable after another. It is stopped after 60 seconds; then the table says how many variables it
had answered for. A process is killed after a quarter of an hour. `MiB` is what noisyor says that
its tables need, and `difference` the largest one of all answers, to noisyor's."""

Findings = Mapping[str, str]
Marginals = dict[str, list[float]]
"""The chances of the states of each variable that was not observed."""

Program = Callable[[Findings], Marginals]


class OutOfPatienceError(Exception):
    """A program was stopped; its argument says how many variables it had answered for."""


def noisyor_program(network: Network) -> Program:
    """Return noisyor, ready for queries."""
    inference = Inference(network)

    def ask(given: Findings) -> Marginals:
        answer = inference.posteriors(given=given)
        return {name: one.tolist() for name, one in zip(answer.names, answer.chances, strict=True)}

    return ask


def pyagrum_program(network: Network) -> Program:
    """Return pyAgrum, ready for queries."""
    model = to_pyagrum(network)
    engine = load_pyagrum().LazyPropagation(model)
    # States may be in the order of a file there.
    places = {}
    for variable in network.variables:
        labels = list(model.variable(variable.name).labels())
        places[variable.name] = [labels.index(state) for state in variable.states]

    def ask(given: Findings) -> Marginals:
        engine.setEvidence(dict(given))
        engine.makeInference()
        return {
            name: np.ravel(engine.posterior(name).toarray())[own].tolist()
            for name, own in places.items()
            if name not in given
        }

    return ask


def pgmpy_program(network: Network) -> Program:
    """Return pgmpy, ready for queries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from pgmpy itself
        engine = import_module("pgmpy.inference").VariableElimination(to_pgmpy(network))

    def ask(given: Findings) -> Marginals:
        started = time.perf_counter()
        result: Marginals = {}
        for variable in network.variables:
            if variable.name in given:
                continue
            factor = engine.query([variable.name], evidence=dict(given), show_progress=False)
            places = [factor.get_state_no(variable.name, state) for state in variable.states]
            result[variable.name] = factor.values[places].tolist()
            if time.perf_counter() - started > PATIENCE:
                raise OutOfPatienceError(len(result))
        return result

    return ask


PROGRAMS: dict[str, Callable[[Network], Program]] = {
    "noisyor": noisyor_program,
    "pyAgrum": pyagrum_program,
    "pgmpy": pgmpy_program,
}


def network_of(case: str) -> Network:
    """Return one of the repository's networks, or the noisy-MAX."""
    if case == NOISY_MAX:
        return noisy_max(100)
    library = find_spec("pgmpy")
    if library is None or library.origin is None:
        sys.exit("pgmpy is not installed; the networks are in its package")
    folder = Path(library.origin).parent / "utils" / "example_models"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows that sum to 1 up to rounding
        return read_network(folder / f"{case}.bif.gz", forgiving=True)


def noisy_max(causes: int) -> Network:
    """Return one noisy-MAX of three states with independent causes of three states."""
    generator = np.random.default_rng(SEED)
    names = (*(f"cause{v}" for v in range(causes)), "effect")
    q = 1 - generator.uniform(0.0, 0.2, (2 * causes, 2))
    return Network(
        Structure(
            names,
            (
                *(Family(v, 0) for v in range(causes)),
                Family(causes, (1 << causes) - 1, NOISY_OR),
            ),
        ),
        tuple(Variable(name, ("none", "mild", "severe"), ordered=True) for name in names),
        (
            *(Cpt.from_axes(row) for row in generator.dirichlet([8, 1, 1], causes)),
            NOISY_OR.distribution(q, 3, (3,) * causes),
        ),
        None,
        Provenance(__version__),
    )


def findings(network: Network, count: int) -> dict[str, str]:
    """Return the states of some variables in a record drawn from the network."""
    record = sample_codes(network, 1, seed=SEED)[0].tolist()
    chosen = np.random.default_rng([SEED, count]).permutation(len(record))[:count].tolist()
    return {network.names[v]: network.variables[v].states[record[v]] for v in chosen}


def measure(case: str, program: str) -> Results:
    """Time each query; one that takes little time is repeated, and the fastest counts."""
    network = network_of(case)
    result: Results = {"queries": []}
    for count in FINDINGS:
        given = findings(network, count)
        try:
            seconds, answer = timed(program, network, given)
        except OutOfPatienceError as stopped:
            result["queries"].append({"answered": stopped.args[0], "of": len(network.names)})
            break
        result["queries"].append({"seconds": seconds, "answer": answer})
    if program == "noisyor":
        sizes = [variable.state_count for variable in network.variables]
        needed = Inference(network).memory_needed()
        result |= {"variables": len(sizes), "most_states": max(sizes), "table_mib": needed / 2**20}
    return result | {"peak_mib": peak_mib()}


def timed(program: str, network: Network, given: Findings) -> tuple[float, Marginals]:
    """Return the shortest time of a query that is asked up to five times, and the answer.

    The program is prepared anew each time: pyAgrum remembers its last answer.
    """
    best = inf
    for _ in range(REPEATS):
        ask = PROGRAMS[program](network)
        started = time.perf_counter()
        answer = ask(given)
        best = min(best, time.perf_counter() - started)
        if best > SHORT:
            break
    return best, answer


def run(case: str, rounds: int) -> Results:
    """Return the best times of all programs, which take turns."""
    best: Results = {}
    answers: list[Marginals] = []
    for number in range(rounds):
        for program in PROGRAMS:
            if number and (program == "pgmpy" or "nothing_because" in best[program]):
                continue
            one = (
                nothing_because("its table would have 3^101 entries")
                if case == NOISY_MAX and program != "noisyor"
                else try_apart(__spec__.name, [case, program], TIMEOUT)
            )
            if program == "noisyor" and not answers:
                answers = [query["answer"] for query in one["queries"]]
            for query, right in zip(one.get("queries", []), answers, strict=False):
                if "answer" in query:
                    query["difference"] = largest_difference(query.pop("answer"), right)
            best[program] = faster(best[program], one) if program in best else one
    for one in best.values():
        for key in ("version", "machine", "status"):
            one.pop(key, None)
    return best


def largest_difference(one: Marginals, other: Marginals) -> float:
    """Return the largest difference of two programs' answers about the same variables."""
    if one.keys() != other.keys():
        raise ValueError(f"answers of different variables: {sorted(one.keys() ^ other.keys())}")
    return max(abs(a - b) for name in one for a, b in zip(one[name], other[name], strict=True))


def faster(one: Results, other: Results) -> Results:
    """Return the results with the shorter time of each query."""
    if "nothing_because" in other:
        return one
    for mine, new in zip(one["queries"], other["queries"], strict=True):
        mine["seconds"] = min(mine["seconds"], new["seconds"])
        mine["difference"] = max(mine["difference"], new["difference"])
    return one


def page(results: Results) -> str:
    """Return the results as a page."""
    head = (
        "| network | variables | states | MiB | findings | noisyor | pyAgrum | pgmpy | difference |"
    )
    lines = [INTRODUCTION, "", head, "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for case in CASES:
        if case in results:
            lines += case_lines(case, results[case]["programs"])
    return "\n".join(lines) + "\n"


def case_lines(case: str, programs: Results) -> list[str]:
    """Return the rows of one network."""
    ours = programs["noisyor"]
    lines = []
    for place, count in enumerate(FINDINGS):
        cells = [cell(programs[program], place) for program in PROGRAMS]
        differences = [
            one["queries"][place]["difference"]
            for one in programs.values()
            if place < len(one.get("queries", [])) and "difference" in one["queries"][place]
        ]
        first = (
            f"| {case} | {ours['variables']} | {ours['most_states']} | {ours['table_mib']:.3g} "
            if not place
            else "| | | | "
        )
        lines.append(
            f"{first}| {count} | {' | '.join(cells)} | {max(differences, default=0.0):.0e} |"
        )
    return lines


def cell(result: Results, place: int) -> str:
    """Return the time of one query, or why there is none."""
    if "nothing_because" in result:
        return str(result["nothing_because"]) if not place else ""
    if place >= len(result["queries"]):
        return ""
    query = result["queries"][place]
    if "seconds" not in query:
        return f"{query['answered']} of {query['of']} variables"
    return f"{1e3 * query['seconds']:.3g}"


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=CASES, default=CASES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    versions = {library: version(library) for library in ("noisyor", "pgmpy", "pyagrum")}
    for case in options.only:
        result: Results = {
            "programs": run(case, options.rounds),
            "versions": versions,
            "machine": machine(),
        }
        add_results(RESULTS, {case: result}, page)
        print("\n".join(case_lines(case, result["programs"])), flush=True)


if __name__ == "__main__":
    main()
