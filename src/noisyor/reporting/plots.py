"""Plots for papers: each function returns a matplotlib Figure to save as PDF, SVG or PNG.

    plot_network(learned.best).savefig("best.pdf")

Text has the size that journals require, in a figure one column wide (3.5 inches). Colours are
never the only distinction: shape or hatching differs, too. matplotlib is an extra
(`noisyor[plots]`); pyplot, its windows and its state are not used. Fonts are matplotlib's: where
they lack a letter of a name, saving warns about it, and another `font.family` helps.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from noisyor.core import CredibleSet, SettingsError
from noisyor.core.relation_looks import look_of
from noisyor.core.relations import cause_relation, root_relation
from noisyor.networks.arcs import ArcStrength, arc_strength
from noisyor.networks.relation_shares import relation_shares
from noisyor.reporting.network_plot import plot_network
from noisyor.reporting.plot_style import (
    COLUMN_WIDTH,
    FONT_SIZE,
    GREY,
    NAME_LENGTH,
    PLAIN,
    new_figure,
    short_names,
    text_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_arc_strength", "plot_costs", "plot_network", "plot_relations"]

_ROW = 1.65  # from bar to bar, in the font's size
_FRAME = 9.0  # for the scale, the legend and the remark, in the same
_SHORTEST = 5  # letters of a name, where there is little room
_BAR = 0.7  # of a row
_SMALL = 0.9  # of the font's size
_DIGITS = 9  # strengths are sums of weights: two equal ones may differ by rounding
_MANY = 50  # more members than this are easier to see on a logarithmic scale
_GRADES = (1, 3, 10, 20, 50, 100, 150, 500, 1000)


def plot_arc_strength(
    credible: CredibleSet,
    *,
    most: int = 30,
    width: float = COLUMN_WIDTH,
    font_size: float = FONT_SIZE,
) -> "Figure":
    """Return a figure with a bar for each pair of variables that some credible network joins.

    The solid bar is the weight of the networks with the arc as written, the hatched bar that of the
    networks with the opposite arc; together they are the strength. The strongest pair comes first.

    Parameters
    ----------
    credible
        The credible set.
    most
        The most pairs that are shown; the figure says of how many.
    width
        The width in inches.
    font_size
        The font size in points.

    """
    if most < 1:
        raise SettingsError(f"the most arcs to show is {most}; it must be at least 1")
    arcs = _one_of_each_pair(arc_strength(credible))
    shown = arcs[:most]
    figure, axes = _bars(len(shown), width, font_size)
    _name_rows(figure, credible, [(arc.parent, arc.child) for arc in shown], font_size)
    rows = range(len(shown))
    weights = [arc.weight for arc in shown]
    back = [arc.strength - arc.weight for arc in shown]
    look = look_of(root_relation()).paper
    axes.barh(rows, weights, height=_BAR, color=look.line, label="this direction")
    axes.barh(
        rows,
        back,
        left=weights,
        height=_BAR,
        color=look.fill,
        edgecolor=look.line,
        linewidth=0.5,
        hatch="/////",
        label="the opposite direction",
    )
    _scale_of_shares(axes, "share of the networks, by weight", font_size)
    member = "credible network" if credible.complete else "network that was found"
    remark = "" if arcs else f"no {member} has an arc"
    if len(shown) < len(arcs):
        remark = f"{len(shown)} of {len(arcs):,} pairs that some network joins"
    _remark(axes, credible, remark, font_size)
    if arcs:
        _legend(figure, axes, font_size)
    return figure


def _one_of_each_pair(arcs: Sequence[ArcStrength]) -> list[ArcStrength]:
    """Return the arcs in the direction of greater weight, the strongest pair first."""
    pairs: dict[frozenset[str], ArcStrength] = {}
    for arc in arcs:  # by weight: the first of a pair is the heavier
        pairs.setdefault(frozenset((arc.parent, arc.child)), arc)
    return sorted(pairs.values(), key=lambda arc: -round(arc.strength, _DIGITS))


def plot_relations(
    credible: CredibleSet, *, width: float = COLUMN_WIDTH, font_size: float = FONT_SIZE
) -> "Figure":
    """Return a figure with a bar for each node that is a noisy-OR in some credible network.

    The solid bar is the share of networks in which it is a noisy-OR, leaky or not, each network
    counted equally. The hatched rest is the share in which it is a full table. A diamond marks the
    share by weight. The dashed line is the average over these nodes, as in table 2 of Sharma et
    al. (2020).

    Parameters
    ----------
    credible
        The credible set.
    width
        The width in inches.
    font_size
        The font size in points.

    """
    shares = relation_shares(credible)
    names = sorted(shares.fractions, key=lambda name: -shares.fractions[name])
    figure, axes = _bars(len(names), width, font_size)
    _name_rows(figure, credible, [(name,) for name in names], font_size)
    fractions = [shares.fractions[name] for name in names]
    rows = range(len(names))
    table, noisy_or = look_of(root_relation()), look_of(cause_relation(leak=False))
    axes.barh(rows, fractions, height=_BAR, color=noisy_or.paper.line, label=noisy_or.label)
    axes.barh(
        rows,
        [1 - fraction for fraction in fractions],
        left=fractions,
        height=_BAR,
        color=table.paper.fill,
        edgecolor=table.paper.line,
        linewidth=0.5,
        hatch="/////",
        label=table.label,
    )
    axes.plot(
        [shares.weights[name] for name in names],
        rows,
        linestyle="none",
        marker="D",
        markersize=0.5 * font_size,
        markerfacecolor="white",
        markeredgecolor="black",
        markeredgewidth=0.8,
        label=f"{noisy_or.label}, by weight",
        clip_on=False,
        zorder=5,
    )
    if shares.average_percent is not None:
        axes.axvline(
            shares.average_percent / 100,
            color="black",
            linestyle="--",
            linewidth=0.8,
            label=f"{noisy_or.label}, average",
        )
    _scale_of_shares(axes, "share of the networks", font_size)
    never = shares.variables - shares.nodes
    remark = f"{never} of {shares.variables} nodes are never a noisy-OR" if never else ""
    _remark(axes, credible, remark, font_size)
    if names:
        _legend(figure, axes, font_size)
    return figure


def plot_costs(
    credible: CredibleSet,
    most: int = 1000,
    *,
    width: float = COLUMN_WIDTH,
    font_size: float = FONT_SIZE,
) -> "Figure":
    """Return a figure of the costs of the credible networks, from the best one upward.

    Costs are in nats above the optimum, and on the right as the Bayes factor to the best. The
    dashed line is the limit of the credible set. With more than 50 networks, the horizontal axis is
    logarithmic.

    Parameters
    ----------
    credible
        The credible set.
    most
        The most networks that are shown.
    width
        The width in inches.
    font_size
        The font size in points.

    """
    if most < 1:
        raise SettingsError(f"the most networks to show is {most}; it must be at least 1")
    costs = credible.members.best(min(most, credible.count)).costs
    figure = new_figure(width, 0.62 * width)
    axes = figure.add_subplot()
    ranks = range(1, len(costs) + 1)
    axes.plot(
        ranks,
        costs - credible.optimum,
        drawstyle="steps-mid",
        marker="o" if len(costs) <= _MANY else None,
        markersize=0.35 * font_size,
        color=look_of(root_relation()).paper.line,
        linewidth=1.2,
        label="credible networks",
    )
    slack, factor = credible.bayes_factor.slack, credible.bayes_factor.untempered.value
    axes.axhline(slack, color=GREY, linestyle="--", linewidth=0.8)
    axes.set_ylim(-0.04 * max(slack, 0.1), 1.12 * max(slack, 0.1))
    if len(costs) > _MANY:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", integer=True)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("networks in order of cost", size=font_size)
    axes.set_ylabel("nats above the optimum", size=font_size)
    axes.tick_params(labelsize=_SMALL * font_size)
    _bayes_factors(axes, factor, font_size)
    remark = ""
    if len(costs) < credible.count:
        remark = f"{len(costs):,} of {credible.count:,} networks"
    _remark(axes, credible, remark, font_size)
    axes.spines["top"].set_visible(False)
    return figure


def _bars(rows: int, width: float, font_size: float) -> tuple["Figure", "Axes"]:
    """Return a figure with room for this number of bars, the first one at the top."""
    figure = new_figure(width, (max(rows, 2) * _ROW + _FRAME) * font_size / 72)
    axes = figure.add_subplot()
    axes.set_ylim(max(rows, 2) - 0.4, -0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _name_rows(
    figure: "Figure", credible: CredibleSet, rows: Sequence[tuple[str, ...]], font_size: float
) -> None:
    """Write names next to the bars, shortened so that half of the width is left for the bars."""
    room = figure.get_figwidth() / 2 * 72 / font_size
    for longest in range(NAME_LENGTH, _SHORTEST - 1, -1):
        label = dict(zip(credible.names, short_names(credible.names, longest), strict=True))
        labels = [" → ".join(label[name] for name in row) for row in rows]
        if max(map(text_width, labels), default=0.0) <= room:
            break
    (axes,) = figure.axes
    axes.set_yticks(range(len(labels)), labels, size=font_size, **PLAIN)
    axes.tick_params(axis="y", length=0)


def _scale_of_shares(axes: "Axes", label: str, font_size: float) -> None:
    ticks = [0, 0.25, 0.5, 0.75, 1]
    axes.set_xlim(0, 1)
    axes.set_xticks(ticks, [f"{tick:.0%}" for tick in ticks], size=_SMALL * font_size)
    axes.set_xlabel(label, size=font_size)


def _bayes_factors(axes: "Axes", most: float, font_size: float) -> None:
    """Mark the Bayes factors for the nats on the right, including that of the set."""
    factors = [grade for grade in _GRADES if grade < 0.7 * most] + [most]
    right = axes.secondary_yaxis("right")
    right.set_yticks([math.log(factor) for factor in factors], [f"{one:g}" for one in factors])
    right.tick_params(labelsize=_SMALL * font_size)
    right.set_ylabel("Bayes factor to the best", size=font_size)


def _remark(axes: "Axes", credible: CredibleSet, text: str, font_size: float) -> None:
    """Write above the axes what is not shown, and whether more networks may exist."""
    lines = [text] if text else []
    if not credible.complete:
        lines.append(f"the credible set is not complete: {credible.count:,} networks are known")
    axes.set_title("\n".join(lines), size=_SMALL * font_size, color=GREY, loc="right")


def _legend(figure: "Figure", axes: "Axes", font_size: float) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=2,
        fontsize=_SMALL * font_size,
        frameon=False,
        handlelength=1.4,
        handletextpad=0.4,
        columnspacing=1.0,
    )
