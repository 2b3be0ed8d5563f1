"""The tables of the study."""

from collections.abc import Iterable, Iterator

from benchmarks.harness.against_truth import BINS
from benchmarks.harness.markdown import table
from benchmarks.study.plan import COMMON_SIZE, KINDS, RANDOM, SIZES, TRUE
from benchmarks.study.statistics import (
    Band,
    Outcome,
    Reading,
    by_records,
    calibration,
    counted,
    curve_outcomes,
    excess,
    less,
    mean_band,
    per_arc,
    plain,
    share_band,
)

SHD = less(per_arc("both", "shd"), per_arc("cpt", "shd"))
CPDAG_SHD = less(per_arc("both", "cpdag_shd"), per_arc("cpt", "cpdag_shd"))
PRECISION = less(plain("both", "precision"), plain("cpt", "precision"))
RECALL = less(plain("both", "recall"), plain("cpt", "recall"))
SKELETON_PRECISION = less(plain("both", "skeleton_precision"), plain("cpt", "skeleton_precision"))
SKELETON_RECALL = less(plain("both", "skeleton_recall"), plain("cpt", "skeleton_recall"))
PREDICTION = less(excess("both", "best"), excess("cpt", "best"))
AVERAGING = less(excess("both", "average"), excess("both", "best"))

FAMILIES = {"random": tuple(map(str, KINDS)), "ground truth": tuple(TRUE)}
"""The groups whose weights are pooled."""


def band_text(band: Band | None, digits: int = 2) -> str:
    """Return an estimate, and its interval if enough clusters are behind it; a dash for none."""
    if band is None:
        return "-"
    return interval_text(band, digits) if band.has_interval else _number(band.middle, digits)


def interval_text(band: Band, digits: int) -> str:
    """Return an estimate and its interval."""
    middle, low, high = (_number(value, digits) for value in (band.middle, band.low, band.high))
    return f"{middle} [{low}, {high}]"


def percent_text(band: Band | None) -> str:
    """Return a share in percent like `band_text`."""
    if band is None:
        return "-"
    if not band.has_interval:
        return f"{100 * band.middle:.0f} %"
    return f"{100 * band.middle:.0f} % [{100 * band.low:.0f}, {100 * band.high:.0f}]"


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text  # there is no -0.00


def differences(outcomes: Iterable[Outcome], reading: Reading) -> dict[int, Band]:
    """Return the mean of a figure, or a difference, for each number of records."""
    return by_records(outcomes, lambda some: mean_band(some, reading))


def _middle(band: Band | None, digits: int = 2) -> str:
    return "-" if band is None else _number(band.middle, digits)


def curve_cells(outcomes: list[Outcome]) -> Iterator[tuple[str, int, list[Outcome]]]:
    """Yield the outcomes on random networks by their kind and the number of records."""
    for kind in KINDS:
        chosen = curve_outcomes(outcomes, kind)
        for size in SIZES:
            yield str(kind), size, [one for one in chosen if one.records == size]


def structure_table(outcomes: list[Outcome]) -> str:
    """Return the distance of the best networks from random true ones, and paired differences."""
    headings = (
        "networks",
        "N",
        "samples",
        "SHD: both",
        "tables",
        "difference",
        "CPDAG SHD: both",
        "tables",
        "difference",
    )
    rows = []
    for kind, size, some in curve_cells(outcomes):
        cells = [kind, f"{size:,}", str(len(some))]
        for measure, difference in (("shd", SHD), ("cpdag_shd", CPDAG_SHD)):
            cells += [
                _middle(mean_band(some, per_arc("both", measure))),
                _middle(mean_band(some, per_arc("cpt", measure))),
                band_text(mean_band(some, difference)),
            ]
        rows.append(cells)
    return table(headings, rows)


def arc_table(outcomes: list[Outcome]) -> str:
    """Return the paired differences in precision and recall on random networks."""
    readings = {
        "precision of arcs": PRECISION,
        "recall of arcs": RECALL,
        "precision of the skeleton": SKELETON_PRECISION,
        "recall of the skeleton": SKELETON_RECALL,
    }
    rows = []
    for kind, size, some in curve_cells(outcomes):
        cells = [band_text(mean_band(some, reading)) for reading in readings.values()]
        rows.append([kind, f"{size:,}", *cells])
    return table(("networks", "N", *readings), rows)


def size_table(outcomes: list[Outcome]) -> str:
    """Return the paired differences on random networks by their number of variables."""
    headings = ("networks", "variables", "samples", "SHD", "CPDAG SHD", "excess, nats")
    rows = []
    for kind in KINDS:
        for variables in RANDOM:
            some = [
                one
                for one in outcomes
                if (one.group, one.variables, one.records) == (kind, variables, COMMON_SIZE)
                and one.comparable
            ]
            if not some:
                continue
            rows.append(
                [
                    str(kind),
                    str(variables),
                    str(len(some)),
                    band_text(mean_band(some, SHD)),
                    band_text(mean_band(some, CPDAG_SHD)),
                    band_text(mean_band(some, PREDICTION), 4),
                ]
            )
    return table(headings, rows)


def prediction_table(outcomes: list[Outcome]) -> str:
    """Return how well new records of random networks are predicted."""
    headings = (
        "networks",
        "N",
        "excess: both",
        "tables",
        "difference",
        "average less best",
    )
    rows = []
    for kind, size, some in curve_cells(outcomes):
        rows.append(
            [
                kind,
                f"{size:,}",
                _middle(mean_band(some, excess("both", "best")), 4),
                _middle(mean_band(some, excess("cpt", "best")), 4),
                band_text(mean_band(some, PREDICTION), 4),
                band_text(mean_band(some, AVERAGING), 4),
            ]
        )
    return table(headings, rows)


def truth_table(outcomes: list[Outcome]) -> str:
    """Return the paired differences on each ground-truth network."""
    headings = ("network", "N", "samples", "SHD", "CPDAG SHD", "excess, nats", "average less best")
    rows = []
    for name, share in TRUE.items():
        chosen = curve_outcomes(outcomes, name)
        for size in share.sizes:
            some = [one for one in chosen if one.records == size]
            if not some:
                continue
            rows.append(
                [
                    name,
                    f"{size:,}",
                    str(len(some)),
                    band_text(mean_band(some, SHD)),
                    band_text(mean_band(some, CPDAG_SHD)),
                    band_text(mean_band(some, PREDICTION), 4),
                    band_text(mean_band(some, AVERAGING), 4),
                ]
            )
    return table(headings, rows)


def found_share(outcomes: Iterable[Outcome]) -> Band | None:
    """Return the share of true noisy-ORs that are found with exactly their parents."""
    return share_band(outcomes, plain("both", "noisy_or_found"), plain("truth", "noisy_or"))


def relation_table(outcomes: list[Outcome]) -> str:
    """Return how well the noisy-ORs of random networks are found."""
    headings = (
        "networks",
        "N",
        "true noisy-ORs found",
        "their parents found: both",
        "tables",
        "learned noisy-ORs that are true",
    )
    rows = []
    for kind, size, some in curve_cells(outcomes):
        rows.append(
            [
                kind,
                f"{size:,}",
                percent_text(found_share(some)),
                *(
                    percent_text(
                        share_band(
                            some,
                            plain(relations, "noisy_or_parents"),
                            plain("truth", "noisy_or"),
                        )
                    )
                    for relations in ("both", "cpt")
                ),
                percent_text(
                    share_band(some, counted("both", "noisy_or_found"), plain("both", "noisy_or"))
                ),
            ]
        )
    return table(headings, rows)


def calibration_table(outcomes: list[Outcome]) -> str:
    """Return the share of arcs and adjacencies that are true by their weight."""
    subjects = {"arcs": "arcs", "skeleton": "adjacencies"}
    headings = ["weight"]
    columns = []
    for family, groups in FAMILIES.items():
        chosen = [one for one in outcomes if one.group in groups]
        for subject, name in subjects.items():
            headings += [f"{family}, {name}", "mean weight", "true"]
            columns.append({one.number: one for one in calibration(chosen, "both", subject)})
    rows = []
    for number in range(BINS):
        cells = [f"{number / BINS:g} to {(number + 1) / BINS:g}"]
        for bins in columns:
            one = bins.get(number)
            cells += (
                ["-"] * 3
                if one is None
                else [f"{one.pairs:,}", f"{one.mean_weight:.3f}", percent_text(one.true_share)]
            )
        rows.append(cells)
    return table(headings, rows)
