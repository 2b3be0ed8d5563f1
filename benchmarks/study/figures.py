"""The figures of the study."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.against_truth import BINS
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind
from benchmarks.study.plan import KINDS, SIZES, TRUE
from benchmarks.study.statistics import (
    Band,
    Outcome,
    Reading,
    WeightBin,
    by_records,
    calibration,
    curve_outcomes,
    excess,
    less,
    mean_band,
    outcomes_of,
    per_arc,
    plain,
    share_band,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STRUCTURE = "study-structure.svg"
DIFFERENCES = "study-differences.svg"
HELD_OUT = "study-held-out.svg"
TRUTHS = "study-truths.svg"
CALIBRATION = "study-calibration.svg"

LOOKS = {"both": ("#d55e00", "o"), "cpt": ("#0072b2", "s")}
LABELS = {"both": "noisy-ORs allowed", "cpt": "full tables alone"}
_DIFFERENCE = "#444444"
_WIDTH = 9.0  # inches
_RECORDS = "records N"

KIND_TITLES = {Kind.NOISY_OR: "noisy-OR networks", Kind.MIXED: "mixed networks"}
SUBJECTS = {
    "arcs": "arcs",
    "skeleton": "adjacencies",
    "compelled": "arcs, but for reversible ones",
}
MEASURES: dict[str, Callable[[str], Reading]] = {
    "SHD per true arc": lambda relations: per_arc(relations, "shd"),
    "CPDAG SHD per true arc": lambda relations: per_arc(relations, "cpdag_shd"),
    "precision of arcs": lambda relations: plain(relations, "precision"),
    "recall of arcs": lambda relations: plain(relations, "recall"),
}


def figures(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw all figures of the study into the folder."""
    outcomes = outcomes_of(results)
    return [draw(name, outcomes, folder) for name in DRAWINGS]


def draw(name: str, outcomes: list[Outcome], folder: Path) -> Path:
    """Draw one figure into the folder."""
    import matplotlib as mpl  # noqa: PLC0415  (an extra that only figures need)

    path = folder / name
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "font.size": 8.0}):
        DRAWINGS[name](outcomes).savefig(path, metadata={"Date": None})
    return path


def _figure(
    rows: int, columns: int, height: float, share: str | bool = False
) -> tuple["Figure", list[list["Axes"]]]:
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, sharey=share)  # type: ignore[arg-type]
    for panel in panels.flat:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(visible=True, color="#e6e6e6", lw=0.6)
    return figure, panels.tolist()


def _over_records(panel: "Axes", sizes: Sequence[int] = SIZES) -> None:
    from matplotlib.ticker import NullLocator  # noqa: PLC0415

    panel.set_xscale("log")
    panel.xaxis.set_minor_locator(NullLocator())
    panel.set_xticks(sizes, [f"{size:,}" for size in sizes], rotation=45)


def _draw_band(
    panel: "Axes",
    bands: Mapping[int, Band],
    look: tuple[str, str],
    label: str = "",
    style: str = "-",
) -> None:
    """Draw a curve, with its intervals where there are enough clusters for them."""
    colour, marker = look
    sizes = list(bands)
    middles = [band.middle for band in bands.values()]
    sure = {size: band for size, band in bands.items() if band.has_interval}
    lows = [band.low for band in sure.values()]
    highs = [band.high for band in sure.values()]
    panel.fill_between(list(sure), lows, highs, color=colour, alpha=0.18, lw=0)
    panel.plot(sizes, middles, style, color=colour, marker=marker, ms=3.5, lw=1.3, label=label)


def _means(outcomes: Iterable[Outcome], reading: Reading) -> dict[int, Band]:
    return by_records(outcomes, lambda some: mean_band(some, reading))


def _ratios(outcomes: Iterable[Outcome], part: Reading, whole: Reading) -> dict[int, Band]:
    return by_records(outcomes, lambda some: share_band(some, part, whole))


def _is_distance(measure: str) -> bool:
    return "SHD" in measure


def _label(panels: list[list["Axes"]], titles: Iterable[str]) -> None:
    """Put titles above the columns, and the label of the records below."""
    for panel, title in zip(panels[0], titles, strict=True):
        panel.set_title(title, fontsize=8)
    for panel in panels[-1]:
        panel.set_xlabel(_RECORDS)


def _zero(panel: "Axes") -> None:
    panel.axhline(0, color="black", lw=0.8)


def _legend(figure: "Figure", panel: "Axes", columns: int) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False)


def _structure(outcomes: list[Outcome]) -> "Figure":
    """Recovery of random networks with and without noisy-ORs."""
    figure, panels = _figure(len(KINDS), len(MEASURES), 4.6, "col")
    for row, kind in zip(panels, KINDS, strict=True):
        chosen = curve_outcomes(outcomes, kind)
        for panel, measure in zip(row, MEASURES.values(), strict=True):
            for relations, look in LOOKS.items():
                bands = _means(chosen, measure(relations))
                _draw_band(panel, bands, look, LABELS[relations])
            _over_records(panel)
        row[0].set_ylabel(KIND_TITLES[kind])
    for panel, name in zip(panels[0], MEASURES, strict=True):  # for the column, once all is drawn
        top = panel.get_ylim()[1]
        panel.set_ylim(0, top if _is_distance(name) else max(1.0, top))
    _label(panels, MEASURES)
    _legend(figure, panels[0][0], len(LOOKS))
    return figure


def _differences(outcomes: list[Outcome]) -> "Figure":
    """Paired differences, noisy-ORs allowed less full tables alone, on random networks."""
    figure, panels = _figure(len(KINDS), len(MEASURES), 4.4, True)
    for row, kind in zip(panels, KINDS, strict=True):
        chosen = curve_outcomes(outcomes, kind)
        for panel, measure in zip(row, MEASURES.values(), strict=True):
            bands = _means(chosen, less(measure("both"), measure("cpt")))
            _zero(panel)
            _draw_band(panel, bands, (_DIFFERENCE, "o"))
            _over_records(panel)
        row[0].set_ylabel(f"{KIND_TITLES[kind]}:\nnoisy-ORs allowed\nless full tables alone")
    _label(
        panels,
        [
            f"{name}\n(noisy-ORs better: {'below' if _is_distance(name) else 'above'} 0)"
            for name in MEASURES
        ],
    )
    return figure


def _held_out(outcomes: list[Outcome]) -> "Figure":
    """Prediction of new records of random networks: levels, and two ratios of excesses."""
    figure, panels = _figure(len(KINDS), 3, 4.6, "col")
    for row, kind in zip(panels, KINDS, strict=True):
        chosen = curve_outcomes(outcomes, kind)
        level, by_relations, by_averaging = row
        for relations, look in LOOKS.items():
            best, average = excess(relations, "best"), excess(relations, "average")
            _draw_band(level, _means(chosen, best), look, LABELS[relations])
            _draw_band(by_averaging, _ratios(chosen, average, best), look)
        both, tables = excess("both", "best"), excess("cpt", "best")
        _draw_band(by_relations, _ratios(chosen, both, tables), (_DIFFERENCE, "o"))
        if chosen:  # an axis without values cannot be logarithmic
            level.set_yscale("log")
        level.set_ylabel(f"{KIND_TITLES[kind]}:\nnats per record")
        for panel in row:
            _over_records(panel)
        for panel in (by_relations, by_averaging):
            panel.axhline(1, color="black", lw=0.8)
    for panel in panels[0][1:]:  # for the column, once all is drawn
        panel.set_ylim(0, max(1.1, panel.get_ylim()[1]))
    _label(
        panels,
        [
            "excess of the best network over the truth",
            "ratio of excesses:\nnoisy-ORs allowed / full tables alone",
            "ratio of excesses:\ncredible set averaged / best network",
        ],
    )
    _legend(figure, panels[0][0], len(LOOKS))
    return figure


def _truths(outcomes: list[Outcome]) -> "Figure":
    """Paired differences on each ground-truth network."""
    rows = {
        "SHD per true arc:\nnoisy-ORs less\nfull tables": less(
            per_arc("both", "shd"), per_arc("cpt", "shd")
        ),
        "held-out excess,\nnats per record:\nnoisy-ORs less\nfull tables": less(
            excess("both", "best"), excess("cpt", "best")
        ),
        "held-out excess,\nnats per record:\naverage less best": less(
            excess("both", "average"), excess("both", "best")
        ),
    }
    figure, panels = _figure(len(rows), len(TRUE), 5.2, "row")
    for row, (name, reading) in zip(panels, rows.items(), strict=True):
        for panel, network in zip(row, TRUE, strict=True):
            _zero(panel)
            _draw_band(panel, _means(curve_outcomes(outcomes, network), reading), ("#d55e00", "o"))
            _over_records(panel, (100, 1000, 5000))
            panel.set_xlim(80, 6200)
            panel.locator_params(axis="y", nbins=4)
            panel.tick_params(labelsize=6.5)
            panel.grid(visible=False)
        row[0].set_ylabel(name)
    _label(panels, TRUE)
    return figure


def _calibration(outcomes: list[Outcome]) -> "Figure":
    """Shares of true pairs by weight, and the numbers of pairs."""
    figure, panels = _figure(2, len(SUBJECTS), 5.6)
    families: dict[str, Collection[str]] = {
        "random networks": tuple(map(str, KINDS)),
        "ground-truth networks": tuple(TRUE),
    }
    for row, (title, groups) in zip(panels, families.items(), strict=True):
        chosen = [one for one in outcomes if one.group in groups]
        for panel, subject in zip(row, SUBJECTS, strict=True):
            panel.plot([0, 1], [0, 1], color="black", lw=0.8)
            panel.grid(visible=False)
            for place, (relations, look) in enumerate(LOOKS.items()):
                bins = calibration(chosen, relations, subject)
                # Side by side, so that the bars of one do not hide the other's.
                _draw_bins(panel, bins, look, LABELS[relations], (place - 0.5) * 0.012)
                for one in bins if relations == "both" else ():
                    panel.text(
                        (one.number + 0.5) / BINS,
                        -0.12,
                        _few_letters(one.pairs),
                        ha="center",
                        fontsize=6,
                        color=look[0],
                    )
            panel.set_xlim(-0.02, 1.02)
            panel.set_ylim(-0.14, 1.02)
            panel.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
        row[0].set_ylabel(f"{title}:\nshare that is true")
    for panel, name in zip(panels[0], SUBJECTS.values(), strict=True):
        panel.set_title(name, fontsize=8)
    for panel in panels[-1]:
        panel.set_xlabel("weight in the credible set")
    _legend(figure, panels[0][0], len(LOOKS))
    return figure


def _draw_bins(
    panel: "Axes", bins: list[WeightBin], look: tuple[str, str], label: str, shift: float
) -> None:
    shares = [one.true_share for one in bins]
    panel.errorbar(
        [one.mean_weight + shift for one in bins],
        [share.middle for share in shares],
        [
            [share.middle - share.low for share in shares],
            [share.high - share.middle for share in shares],
        ],
        fmt=look[1],
        color=look[0],
        ms=3.5,
        lw=1,
        label=label,
    )


def _few_letters(count: int) -> str:
    return f"{count}" if count < 10_000 else f"{count / 1000:.0f}k"


DRAWINGS: dict[str, Callable[[list[Outcome]], "Figure"]] = {
    STRUCTURE: _structure,
    DIFFERENCES: _differences,
    HELD_OUT: _held_out,
    TRUTHS: _truths,
    CALIBRATION: _calibration,
}
"""The figures by the names of their files."""
