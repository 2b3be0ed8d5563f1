"""Time of a query for all marginals given three findings, compared with pgmpy and pyAgrum.

    python -m benchmarks.timings.queries [--only CASE ...] [--findings N] [--networks FOLDER]

Alarm is the binary network of the paper. Each program runs in separate processes, which are
killed after ten minutes; the programs take turns, five times. Results are added to
benchmarks/results/queries.json, and the tables in benchmarks/results/queries.md are written from
it.
"""

import argparse
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import Results, add_results, measure_apart, try_apart
from benchmarks.harness.options import add_networks, parser_of
from benchmarks.harness.resources import machine, peak_mib
from noisyor import __version__
from noisyor.core import Cpt, Family, Network, NoisyOr, Provenance, Structure, TableSizeError
from noisyor.core.relations import NOISY_OR
from noisyor.core.variable import variables_of
from noisyor.formats.bif import parse_bif
from noisyor.formats.parsed_network import to_network
from noisyor.inference import Inference
from noisyor.interop import to_pgmpy, to_pyagrum
from noisyor.interop.pyagrum_loading import load_pyagrum

RESULTS = RESULTS_FOLDER / "queries.json"
STARS = (15, 25, 200)
CASES = ("alarm", *(f"{causes} causes" for causes in STARS))
FINDINGS_PER_QUESTION = 3
SEED = 20
TIMEOUT = 600.0
GOAL_OVER_PGMPY = 20
GOAL_UNDER_PYAGRUM = 1.5
INTRODUCTION = """\
# Queries to a network

All marginals given three findings; made by `python -m benchmarks.timings.queries`; the figures are
in `queries.json`, with the versions and the machine of each row. The three findings of a query are
drawn at random from one record of the network. Each program has loaded the network before. The time
is that of the query alone, through the program's usual interface, from the findings to a
distribution of every other variable in Python. `largest difference` is over all answers, to
noisyor's. `median` is over all times, `best` is the median over queries of the fastest of five:
other load on the machine changes pyAgrum's times several-fold, with one thread as with two. pgmpy's
BeliefPropagation gets two of the queries, once. A noisy-OR is queried once, so its time is that of
a first query."""

Findings = Mapping[str, str]
Marginals = dict[str, float]
"""The chance of presence of each variable that was not observed."""

Program = Callable[[Findings], Marginals]


def noisyor_program(network: Network) -> Program:
    """Return noisyor, ready for queries."""
    inference = Inference(network)

    def ask(given: Findings) -> Marginals:
        answer = inference.posteriors(given=given)
        return dict(zip(answer.names, answer.present.tolist(), strict=True))

    return ask


def pyagrum_program(threads: int | None) -> Callable[[Network], Program]:
    """Return a function that prepares pyAgrum, with `threads` threads or its default number."""

    def ready(network: Network) -> Program:
        engine = load_pyagrum().LazyPropagation(to_pyagrum(network))
        if threads is not None:
            engine.setNumberOfThreads(threads)

        def ask(given: Findings) -> Marginals:
            engine.setEvidence(dict(given))
            engine.makeInference()
            return {name: engine.posterior(name)[1] for name in network.names if name not in given}

        return ask

    return ready


def pgmpy_program(engine_name: str) -> Callable[[Network], Program]:
    """Return a function that prepares one of pgmpy's engines.

    It is queried for one variable after another. Its `joint=False` queries all at once, but makes
    their joint distribution on the way, which would take 128 GiB for alarm.
    """

    def ready(network: Network) -> Program:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # from pgmpy itself, and about noisy-ORs as tables
            engine = getattr(import_module("pgmpy.inference"), engine_name)(to_pgmpy(network))
        if engine_name == "BeliefPropagation":
            engine.calibrate()

        def ask(given: Findings) -> Marginals:
            result = {}
            for name, (_, present) in zip(network.names, network.states, strict=True):
                if name not in given:
                    factor = engine.query([name], evidence=dict(given), show_progress=False)
                    result[name] = float(factor.values[factor.get_state_no(name, present)])
            return result

        return ask

    return ready


PROGRAMS: dict[str, Callable[[Network], Program]] = {
    "noisyor": noisyor_program,
    "pyAgrum, LazyPropagation": pyagrum_program(None),
    "pyAgrum, LazyPropagation, one thread": pyagrum_program(1),
    "pgmpy, VariableElimination": pgmpy_program("VariableElimination"),
    "pgmpy, BeliefPropagation": pgmpy_program("BeliefPropagation"),
}
STAR_PROGRAMS = ("noisyor", "pyAgrum, LazyPropagation", "pgmpy, VariableElimination")
ROUNDS = 5
SLOW = "pgmpy, BeliefPropagation"
SLOW_QUESTIONS = 2
"""The queries for it, each asked once: one takes most of a minute."""


def alarm(folder: Path) -> Network:
    """Return the binary alarm network, or end the benchmark."""
    path = folder / "alarm.bif"
    if not path.exists():
        sys.exit(f"{path} does not exist; --networks must name a folder with alarm.bif in it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one row occurs twice, and another is missing
        return to_network(parse_bif(path.read_text(), forgiving=True))


def star(causes: int) -> Network:
    """Return one noisy-OR of independent causes, with random parameters."""
    generator = np.random.default_rng(SEED)
    families = [Family(v, 0) for v in range(causes)]
    names = (*(f"cause{v}" for v in range(causes)), "effect")
    return Network(
        Structure(names, (*families, Family(causes, (1 << causes) - 1, NOISY_OR))),
        variables_of(names, (("no", "yes"),) * (causes + 1)),
        (
            *(Cpt.binary([chance]) for chance in generator.uniform(0.01, 0.2, causes)),
            NoisyOr(generator.uniform(0.1, 0.9, causes)),
        ),
        None,
        Provenance(__version__),
    )


def findings(network: Network, count: int) -> list[dict[str, str]]:
    """Return the findings of some queries: three variables of a record drawn from the network."""
    generator = np.random.default_rng(SEED)
    result = []
    for _ in range(count):
        record = draw(network, generator)
        chosen = generator.choice(len(record), FINDINGS_PER_QUESTION, replace=False).tolist()
        result.append({network.names[v]: network.states[v][record[v]] for v in chosen})
    return result


def draw(network: Network, generator: np.random.Generator) -> list[int]:
    """Return a record drawn from the network: 0 or 1 for each variable."""
    record = [0] * len(network.names)
    for v in network.structure.topological_order():
        values = [record[above] for above in network.structure.families[v].parent_indices()]
        distribution = network.distributions[v]
        chances = distribution.chances([np.array([value]) for value in values], 1)
        record[v] = int(generator.random() < chances[1, 0])
    return record


def measure_alarm(folder: Path, count: int, name: str) -> Results:
    """Time every query with one program; the first one twice, as a warm-up."""
    network = alarm(folder)
    questions = findings(network, count)
    ask = PROGRAMS[name](network)
    if name == SLOW:
        questions = questions[:SLOW_QUESTIONS]
    else:
        ask(questions[0])
    seconds, answers = [], []
    for given in questions:
        started = time.perf_counter()
        answers.append(ask(given))
        seconds.append(time.perf_counter() - started)
    return {"seconds": seconds, "answers": answers}


def run_alarm(folder: Path, count: int) -> Results:
    """Return the results of all programs, which take turns several times."""
    seconds: dict[str, list[list[float]]] = {name: [] for name in PROGRAMS}
    differences = dict.fromkeys(PROGRAMS, 0.0)
    expected: list[Marginals] = []
    for number in range(ROUNDS):
        for name in PROGRAMS:
            if name == SLOW and number:
                continue
            arguments = ["alarm", name, "--networks", str(folder), "--findings", str(count)]
            one = measure_apart(__spec__.name, arguments, TIMEOUT)
            expected = expected or one["answers"]  # noisyor's, which comes first
            seconds[name].append(one["seconds"])
            found = [
                largest_difference(answer, right)
                for answer, right in zip(one["answers"], expected, strict=name != SLOW)
            ]
            differences[name] = max(differences[name], *found)
    return {
        name: {
            "median": statistics.median(second for one in rounds for second in one),
            "best": statistics.median(min(each) for each in zip(*rounds, strict=True)),
            "asked": sum(len(one) for one in rounds),
            "difference": differences[name],
        }
        for name, rounds in seconds.items()
    }


def measure_star(causes: int, name: str) -> Results:
    """Time one query with one program, alone in its process: the effect and two causes observed."""
    network = star(causes)
    given = {"effect": "yes", "cause0": "no", "cause1": "no"}
    try:
        ask = PROGRAMS[name](network)
    except TableSizeError as error:
        return {"nothing_because": str(error)}
    started = time.perf_counter()
    answer = ask(given)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "peak_mib": peak_mib(), "answer": answer}


def largest_difference(one: Marginals, other: Marginals) -> float:
    """Return the largest difference of two programs' answers about the same variables."""
    if one.keys() != other.keys():
        raise ValueError(f"answers of different variables: {sorted(one.keys() ^ other.keys())}")
    return max(abs(one[name] - other[name]) for name in one)


def page(results: Results) -> str:
    """Return the results as a page."""
    lines = [INTRODUCTION]
    if "alarm" in results:
        lines += alarm_lines(results["alarm"])
    stars = [case for case in CASES[1:] if case in results]
    if stars:
        lines += [
            "",
            "## A noisy-OR of many causes",
            "",
            "The effect and two causes are observed. pgmpy and pyAgrum expand the noisy-OR.",
            "",
            "| network | program | seconds | peak MiB | largest difference |",
            "|---|---|--:|--:|--:|",
            *(line for case in stars for line in star_lines(case, results[case])),
        ]
    return "\n".join(lines) + "\n"


def alarm_lines(result: Results) -> list[str]:
    """Return the part about alarm."""
    rows = result["programs"]
    ours = rows["noisyor"]["best"]
    pgmpy = min(one["best"] for name, one in rows.items() if name.startswith("pgmpy"))
    pyagrum = min(one["best"] for name, one in rows.items() if name.startswith("pyAgrum"))
    ratios = (
        "Ratios of the best times, with the faster engine of each program: "
        f"pgmpy / noisyor = {pgmpy / ours:.0f} (goal: at least {GOAL_OVER_PGMPY}), "
        f"noisyor / pyAgrum = {ours / pyagrum:.2f} (goal: at most {GOAL_UNDER_PYAGRUM})."
    )
    return [
        "",
        "## alarm",
        "",
        "| program | asked | median, ms | best, ms | times noisyor's best | largest difference |",
        "|---|--:|--:|--:|--:|--:|",
        *(
            f"| {name} | {one['asked']} | {1e3 * one['median']:.3f} | {1e3 * one['best']:.3f} | "
            f"{one['best'] / ours:.2f} | {one['difference']:.0e} |"
            for name, one in rows.items()
        ),
        "",
        ratios,
    ]


def star_lines(case: str, result: Results) -> list[str]:
    """Return the rows of one noisy-OR."""
    lines = []
    for name, one in result["programs"].items():
        if "nothing_because" in one:
            lines.append(f"| {case} | {name} | - | - | {one['nothing_because']} |")
        else:
            lines.append(
                f"| {case} | {name} | {one['seconds']:.4f} | {one['peak_mib']:.0f} | "
                f"{one['difference']:.0e} |"
            )
    return lines


def run_star(causes: int) -> Results:
    """Return the result of each program in a separate process, or why there is none."""
    result: Results = {}
    for name in STAR_PROGRAMS:
        result[name] = try_apart(__spec__.name, [str(causes), name], TIMEOUT)
    ours = result["noisyor"]["answer"]
    for one in result.values():
        if "answer" in one:
            one["difference"] = largest_difference(one["answer"], ours)
    for one in result.values():
        for key in ("answer", "version", "machine", "status"):
            one.pop(key, None)
    return result


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    add_networks(parser)
    parser.add_argument("--only", nargs="+", choices=CASES, default=CASES)
    parser.add_argument("--findings", type=int, default=36)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        case, name = options.measure
        measured = (
            measure_alarm(options.networks, options.findings, name)
            if case == "alarm"
            else measure_star(int(case), name)
        )
        print(json.dumps(measured))
        return
    versions = {library: version(library) for library in ("noisyor", "pgmpy", "pyagrum")}
    for case in options.only:
        if case == "alarm":
            programs = run_alarm(options.networks, options.findings)
        else:
            programs = run_star(int(case.split()[0]))
        result = {"programs": programs, "versions": versions, "machine": machine()}
        add_results(RESULTS, {case: result}, page)
        print(f"{case}: {json.dumps(programs, indent=1)}", flush=True)


if __name__ == "__main__":
    main()
