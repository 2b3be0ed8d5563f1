"""The page on calibration."""

from collections.abc import Mapping

import numpy as np

from benchmarks.calibration.figures import FIGURE
from benchmarks.calibration.measuring import EARLIER, KINDS, RESAMPLES
from benchmarks.calibration.plan import INSTANCES, REPEATS, SMALL, VARIABLES, choices, jobs
from benchmarks.calibration.statistics import (
    GROUPS,
    bins_of,
    calibration_error,
    gap_of,
    in_group,
    mean_of,
    temperatures,
    uncounted,
)
from benchmarks.harness.markdown import listed, table, wrapped
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES

BASE = "default"
"""The kind of weights that the others are compared with: those of `learn` by default."""

_CLEAR = 2.0  # standard errors


def section(results: Mapping[str, Results]) -> str:
    """Return the section on calibration."""
    seconds = sum(result.get("seconds", 0.0) for result in results.values())
    parts = [
        "## Which weights can be believed?",
        wrapped(
            "Made by `make calibration` (`python -m benchmarks.calibration`). Records are drawn "
            f"from networks that are known: random ones of {VARIABLES} variables (those of the "
            "study, with noisy-ORs, leaky noisy-ORs, full tables, or noisy-ORs and full tables), "
            f"{INSTANCES} of each kind with a sample of each size, and {listed(SMALL)}, {REPEATS} "
            "samples of each size. From each sample, ten kinds of weights are made:\n\n"
            "- of the credible set (Bayes factor 20), by BIC with full tables alone, with "
            "noisy-ORs without a leak, and with leaky noisy-ORs, and by EBIC (gamma 1) with leaky "
            "ones;\n"
            "- `calibrated`: at the temperature that `noisyor calibrate` finds on the sample;\n"
            f"- `bootstrap of the best`: the share of {RESAMPLES} resampled tables whose best "
            "network has the arc, where networks that tie share a resample;\n"
            "- `mean weights of resamples`: the mean of the weights in their credible sets.\n\n"
            f"Of {len(jobs(choices()))} planned samples, {len(results)} have a result; they took "
            f"{seconds / 60:.0f} minutes of processor time."
        ),
    ]
    parts += [_group(results, group) for group in GROUPS if in_group(results, group)]
    parts += [
        f"![Reliability of weights]({IMAGES}/{FIGURE})",
        wrapped(_notes()),
        *_earlier(results),
        _answers(results),
    ]
    return "\n\n".join(parts) + "\n"


def _group(results: Mapping[str, Results], group: tuple[str, int]) -> str:
    own = in_group(results, group)
    rows = []
    for kind, name in KINDS.items():
        bins = bins_of(own, kind, "skeleton")
        fitted = temperatures(own, kind)
        rows.append(
            [
                name,
                f"{mean_of(own, kind, 'loss'):.3f}",
                "" if kind == BASE else _gap(own, kind),
                f"{mean_of(own, kind, 'adjacency_loss'):.3f}",
                f"{mean_of(own, kind, 'brier'):.3f}",
                f"{calibration_error(bins):.3f}",
                _share(bins[8]),
                _share(bins[9]),
                f"{np.median(fitted):.2f}" if fitted else "",
            ]
        )
    heads = [
        *("weights", "log loss of arcs", "against the default", "log loss of adjacencies"),
        *("Brier score", "calibration error", "true of 0.8 to 0.9", "true of 0.9 to 1"),
        "temperature",
    ]
    family, records = group
    title = f"### {family.capitalize()}, N = {records} ({len(own)} samples)"
    return "\n\n".join([title, table(heads, rows), *_not_counted(own)])


def _not_counted(own: list[Results]) -> list[str]:
    """Say which weights come from sets that were not counted in full, if any do."""
    counts = {name: uncounted(own, kind) for kind, name in KINDS.items()}
    said = [f"{count} of {name}" for name, count in counts.items() if count]
    return [wrapped(f"Credible sets that were not counted in full: {listed(said)}.")] * bool(said)


def _earlier(results: Mapping[str, Results]) -> list[str]:
    """Say that some stored results are of an earlier version, if they are."""
    old = [one for one in results.values() if BASE in one and "pairs" not in one[BASE]]
    return [wrapped(EARLIER)] * bool(old)


def _gap(own: list[Results], kind: str) -> str:
    gap = gap_of(own, kind, BASE, "loss")
    return f"{gap.mean:+.3f} ± {gap.error:.3f}"


def _share(row: np.ndarray) -> str:
    pairs, _, true = row
    return f"{true / pairs:.0%} of {int(pairs)}" if pairs else "-"


def _notes() -> str:
    return (
        "Log losses are in nats for each pair of variables, with a floor of 1 % for what a kind of "
        "weights rules out; of arcs, a pair has three outcomes: either arc, or none. Adjacencies "
        "disregard direction, which full tables often cannot tell: the Brier score, the expected "
        "calibration error (over ten bins) and the shares that are true are of adjacencies. A "
        "difference is over the same samples, with the standard error of its mean over networks. "
        "The figure's areas are "
        "binomial intervals of 95 %; its scales are the same in all panels."
    )


def _answers(results: Mapping[str, Results]) -> str:
    """Say for each kind of weights in which groups it is clearly better or worse."""
    lines = []
    for kind, name in KINDS.items():
        if kind == BASE:
            continue
        sides: dict[str, list[str]] = {"better": [], "worse": []}
        known = [group for group in GROUPS if len(in_group(results, group)) > 1]
        for group in known:
            gap = gap_of(in_group(results, group), kind, BASE, "loss")
            if abs(gap.mean) > _CLEAR * gap.error:
                side = "better" if gap.mean < 0 else "worse"
                sides[side].append(f"{group[0]} with N = {group[1]}")
        said = [f"clearly {side} on {listed(where)}" for side, where in sides.items() if where]
        lines.append(f"- {name}: {'; '.join(said) or 'nowhere clearly better or worse'}.")
    heading = "Against the weights of `learn` by default, in the log loss of arcs:"
    return wrapped("\n".join([heading, "", *lines]))
