"""The race against GOBNILP on the page of the race: figures taken once, and own runs."""

import json
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results

TAKEN = RESULTS_FOLDER / "gobnilp_taken.json"
RUNS = RESULTS_FOLDER / "gobnilp.jsonl"
INTRODUCTION = """\
### GOBNILP, the paper's solver

GOBNILP (Bartlett and Cussens, 2017) solves an integer linear program; the paper used the
development version that collects credible sets (Liao et al., 2019). It is not part of this project.
`make race GOBNILP=/path/to/gobnilp` runs a binary that you have: both programs get the same `.jkl`
file of full tables and prove the optimum; GOBNILP then collects all credible networks in a second
call, while `noisyor search` counts them, and keeps them for listing, in the same one. Times are
processor seconds."""
HEADINGS = (
    "data",
    "families",
    "Bayes factor",
    "networks",
    "GOBNILP, optimum",
    "GOBNILP, set",
    "noisyor, both, with start",
    "ratio",
)


def gobnilp_section(taken: Path = TAKEN, runs: Path = RUNS) -> str:
    """Return the section: own runs where there are any, and the figures taken once."""
    texts = [INTRODUCTION]
    own = KeptResults(runs)
    if own.results():
        made = "; ".join(
            ", ".join(f"{what} {value}" for what, value in one.items()) for one in own.provenances()
        )
        rows = [_run_row(key, one) for key, one in own.results().items()]
        texts += [f"Run by that command ({made}):", table(HEADINGS, rows)]
    if taken.exists():
        texts.append(_taken_text(json.loads(taken.read_text())))
    return "\n\n".join(texts) if len(texts) > 1 else ""


def taken_ratios(taken: Path = TAKEN) -> tuple[float, float] | None:
    """Return how many times as long GOBNILP takes, at least and at most, by the figures taken."""
    if not taken.exists():
        return None
    rows = json.loads(taken.read_text())["rows"]
    ratios = [_ratio(one) for one in rows if one["gobnilp_set_seconds"] is not None]
    return min(ratios), max(ratios)


def _taken_text(taken: Results) -> str:
    rows = taken["rows"]
    finished = [one for one in rows if one["gobnilp_set_seconds"] is not None]
    ratios = [_ratio(one) for one in finished]
    stopped = len(rows) - len(finished)
    return (
        f"Figures taken once, on {taken['date']}: {taken['conditions']} ({taken['source']}).\n\n"
        f"{table(HEADINGS, map(_taken_row, rows))}\n\n"
        f"The counts are equal in the {len(finished)} cases that both finish; there GOBNILP takes "
        f"{min(ratios):.0f} to {max(ratios):.0f} times as long. In the other {stopped}, GOBNILP "
        "was stopped. It has one thing that noisyor lacks: a general solver behind it, so that "
        "any linear constraint on the network can be added."
    )


def _ratio(one: Results) -> float:
    both = one["gobnilp_optimum_seconds"] + one["gobnilp_set_seconds"]
    return float(both / one["noisyor_seconds"])


def _taken_row(one: Results) -> tuple[str, ...]:
    done = one["gobnilp_set_seconds"] is not None
    stopped = one.get("gobnilp_set_stopped_after")
    least = (one["gobnilp_optimum_seconds"] + (stopped or 0)) / one["noisyor_seconds"]
    return (
        one["data"],
        f"{one['families']:,}",
        str(one["bayes_factor"]),
        f"{one['networks']:,}",
        f"{one['gobnilp_optimum_seconds']:.1f}",
        f"{one['gobnilp_set_seconds']:.1f}" if done else f"> {stopped:g}",
        f"{one['noisyor_seconds']:.1f}",
        f"{_ratio(one):.0f}" if done else f"> {least:.0f}",
    )


def _run_row(key: str, one: Results) -> tuple[str, ...]:
    data, factor = key.split("/")
    best, credible, own = one["best"], one["credible"], one["noisyor"]
    done = all("nothing_because" not in part for part in (best, credible, own))
    ratio = (best["busy_seconds"] + credible["busy_seconds"]) / own["busy_seconds"] if done else 0
    networks = [part["networks"] for part in (own, credible) if "networks" in part]
    return (
        data,
        f"{one['families']:,}",
        factor,
        " and ".join(f"{count:,}" for count in dict.fromkeys(networks)) or "-",
        *(_seconds_text(part) for part in (best, credible, own)),
        f"{ratio:.0f}" if done else "-",
    )


def _seconds_text(part: Results) -> str:
    return part.get("nothing_because") or f"{part['busy_seconds']:.1f}"
