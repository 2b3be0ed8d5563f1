"""The study's answers, in words that follow from its intervals."""

from collections.abc import Mapping

from benchmarks.harness.markdown import listed
from benchmarks.study.plan import KINDS, TRUE
from benchmarks.study.statistics import (
    Band,
    Outcome,
    Reading,
    WeightBin,
    calibration,
    curve_outcomes,
)
from benchmarks.study.tables import (
    AVERAGING,
    CPDAG_SHD,
    FAMILIES,
    PRECISION,
    PREDICTION,
    RECALL,
    SHD,
    SKELETON_PRECISION,
    SKELETON_RECALL,
    differences,
    found_share,
    percent_text,
)

Cell = tuple[str, int]
"""A ground-truth network and a number of records."""

STRUCTURE_READINGS: dict[str, tuple[Reading, bool]] = {
    "SHD": (SHD, True),
    "CPDAG SHD": (CPDAG_SHD, True),
    "precision of arcs": (PRECISION, False),
    "recall of arcs": (RECALL, False),
    "precision of the skeleton": (SKELETON_PRECISION, False),
    "recall of the skeleton": (SKELETON_RECALL, False),
}
"""Paired differences, and whether they are better below 0."""

TRUTH_READINGS: dict[str, tuple[Reading, bool]] = {
    "SHD": (SHD, True),
    "CPDAG SHD": (CPDAG_SHD, True),
    "prediction": (PREDICTION, True),
}


def verdict(bands: Mapping[int, Band], *, better_below: bool) -> str:
    """Say with which numbers of records a difference is clear, and on which side of 0."""
    sides: dict[str, list[int]] = {"clearly better": [], "clearly worse": [], "not clear": []}
    for records, band in bands.items():
        if _is_clear(band, below=better_below):
            sides["clearly better"].append(records)
        elif _is_clear(band, below=not better_below):
            sides["clearly worse"].append(records)
        else:
            sides["not clear"].append(records)
    if not bands:
        return "no samples yet"
    found = [(side, where) for side, where in sides.items() if where]
    if len(found) == 1:
        return f"{found[0][0]} with every N"
    return "; ".join(f"{side} with N = {listed(where)}" for side, where in found)


def structure_answers(outcomes: list[Outcome]) -> str:
    """Say whether random networks are recovered better with noisy-ORs."""
    lines = []
    for kind in KINDS:
        chosen = curve_outcomes(outcomes, kind)
        for name, (reading, better_below) in STRUCTURE_READINGS.items():
            said = verdict(differences(chosen, reading), better_below=better_below)
            lines.append(f"- `{kind}` networks, {name} with noisy-ORs allowed: {said}.")
    return "\n".join(lines)


def prediction_answers(outcomes: list[Outcome]) -> str:
    """Say whether new records of random networks are predicted better, by what."""
    lines = []
    for kind in KINDS:
        chosen = curve_outcomes(outcomes, kind)
        allowed = verdict(differences(chosen, PREDICTION), better_below=True)
        averaged = verdict(differences(chosen, AVERAGING), better_below=True)
        lines += [
            f"- `{kind}` networks, noisy-ORs allowed against full tables alone: {allowed}.",
            f"- `{kind}` networks, credible set averaged against its best network: {averaged}.",
        ]
    return "\n".join(lines)


def truth_answers(outcomes: list[Outcome]) -> str:
    """Say in how many cells of the ground-truth networks a difference is clear."""
    lines = []
    readings = {
        **{f"{name} with noisy-ORs allowed": pair for name, pair in TRUTH_READINGS.items()},
        "prediction by the average instead of the best": (AVERAGING, True),
    }
    for name, (reading, better_below) in readings.items():
        cells, better, worse = truth_cells(outcomes, reading, better_below=better_below)
        lines.append(
            f"- {name}: of {cells} cells (network and N), {len(better)} clearly better"
            f"{_named(better)}, {len(worse)} clearly worse{_named(worse)}."
        )
    return "\n".join(lines)


def truth_cells(
    outcomes: list[Outcome], reading: Reading, *, better_below: bool
) -> tuple[int, list[Cell], list[Cell]]:
    """Return how many cells the ground-truth networks have, those clearly better, and worse."""
    bands = {
        (network, records): band
        for network in TRUE
        for records, band in differences(curve_outcomes(outcomes, network), reading).items()
    }
    better = [cell for cell, band in bands.items() if _is_clear(band, below=better_below)]
    worse = [cell for cell, band in bands.items() if _is_clear(band, below=not better_below)]
    return len(bands), better, worse


def _is_clear(band: Band, *, below: bool) -> bool:
    return band.clearly_below(0) if below else band.clearly_above(0)


def _named(cells: list[Cell]) -> str:
    """Return the networks of some cells, each with how many it has."""
    names = [network for network, _ in cells]
    counted = ", ".join(f"{name} {names.count(name)}" for name in dict.fromkeys(names))
    return f" ({counted})" if counted else ""


def relation_answers(outcomes: list[Outcome]) -> str:
    """Say how often a noisy-OR of the truth is found, and what is one where none is known."""
    lines = []
    for kind in KINDS:
        chosen = curve_outcomes(outcomes, kind)
        sizes = sorted({one.records for one in chosen})
        shares = [
            f"{percent_text(found_share([one for one in chosen if one.records == size]))} "
            f"with N = {size:,}"
            for size in sizes
        ]
        if shares:
            ends = [shares[0], shares[-1]] if len(shares) > 1 else shares
            lines.append(f"- `{kind}` networks, noisy-ORs found: {listed(ends)}.")
    said = []
    for network in TRUE:
        chosen = curve_outcomes(outcomes, network)
        if chosen:
            mean = sum(one.result["both"]["noisy_or"] for one in chosen) / len(chosen)
            said.append(f"{network} {mean:.1f}")
    if said:
        lines.append(
            "- Nodes that are learned as noisy-ORs on ground-truth networks, on average over all "
            f"samples: {', '.join(said)}."
        )
    return "\n".join(lines) or "There are no samples yet."


def calibration_answers(outcomes: list[Outcome]) -> str:
    """Say whether the pairs of greatest weight are true as often as their weight says."""
    lines = []
    subjects = {"arcs": "arcs", "skeleton": "adjacencies"}
    kinds = {"both": "noisy-ORs allowed", "cpt": "full tables alone"}
    for family, groups in FAMILIES.items():
        chosen = [one for one in outcomes if one.group in groups]
        for relations, how in kinds.items():
            for subject, name in subjects.items():
                bins = calibration(chosen, relations, subject)
                if bins:
                    lines.append(f"- {family.capitalize()} networks, {how}: {_told(bins, name)}")
    return "\n".join(lines) or "There are no samples yet."


def _told(bins: list[WeightBin], name: str) -> str:
    last = bins[-1]
    high = [one for one in bins if one.true_share.clearly_below(one.mean_weight)]
    low = [one for one in bins if one.true_share.clearly_above(one.mean_weight)]
    return (
        f"of {last.pairs:,} {name} with a weight of {last.number / 10:g} or more (on average "
        f"{last.mean_weight:.3f}), {percent_text(last.true_share)} are true, "
        f"{_against(last)}. Of {len(bins)} bins, {len(high)} have weights that are clearly too "
        f"high{_ranges(high)} and {len(low)} clearly too low{_ranges(low)}."
    )


def _against(one: WeightBin) -> str:
    if one.true_share.clearly_below(one.mean_weight):
        return "fewer than their weights say"
    if one.true_share.clearly_above(one.mean_weight):
        return "more than their weights say"
    return "which their weights are consistent with"


def _ranges(bins: list[WeightBin]) -> str:
    if not bins:
        return ""
    texts = [f"{one.number / 10:g} to {(one.number + 1) / 10:g}" for one in bins]
    return f" ({', '.join(texts)})"
