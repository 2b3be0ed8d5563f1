"""The plots for papers show the right values, in a printable size."""

import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from math import exp, log
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, FancyArrowPatch, Rectangle

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    Cpt,
    CredibleSet,
    Family,
    Labels,
    Network,
    NoisyOr,
    Provenance,
    Relation,
    SettingsError,
    Structure,
)
from noisyor.core.credible_set import FamilyUse, MemberBatch
from noisyor.core.relation_looks import look_of
from noisyor.core.variable import variables_of
from noisyor.networks.arcs import arc_strength
from noisyor.reporting.plot_style import short_names, text_width
from noisyor.reporting.plots import plot_arc_strength, plot_costs, plot_network, plot_relations
from tests.support.effort import HANGS_AFTER
from tests.toy.shared_strength import SHARED, SharedNoisyOr

TOTAL = 1 + exp(-1) + exp(-2)
FAMILIES = (
    FamilyUse(Family(0, 0), 4.0, 2, (1 + exp(-1)) / TOTAL, 10.0),
    FamilyUse(Family(0, 0b10), 5.0, 1, exp(-2) / TOTAL, 12.0),
    FamilyUse(Family(1, 0b01, NOISY_OR), 6.0, 1, 1 / TOTAL, 10.0),
    FamilyUse(Family(1, 0), 7.0, 2, (exp(-1) + exp(-2)) / TOTAL, 11.0),
    FamilyUse(Family(2, 0), 0.0, 3, 1.0, 10.0),
)
ROWS = np.array([[0, 2, 4], [0, 3, 4], [1, 3, 4]], dtype=np.uint32)
COSTS = np.array([10.0, 11.0, 12.0])


class ThreeMembers:
    """The networks a -> b (a noisy-OR), no edge, b -> a, at costs 10, 11 and 12."""

    def stream(self) -> Iterator[MemberBatch]:
        yield MemberBatch(ROWS, COSTS)

    def best(self, most: int) -> MemberBatch:
        return MemberBatch(ROWS[:most], COSTS[:most])

    def costliest(self) -> MemberBatch:
        return MemberBatch(ROWS[2:], COSTS[2:])

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        raise NotImplementedError


class EqualMembers(ThreeMembers):
    """As many networks as are asked for, all of the same cost."""

    def best(self, most: int) -> MemberBatch:
        return MemberBatch(np.tile(ROWS[:1], (most, 1)), np.full(most, 10.0))


NAMES = ("a", "b", "c")


def best_of(names: tuple[str, ...]) -> Structure:
    return Structure(names, tuple(FAMILIES[place].family for place in ROWS[0]))


def credible(**changes: Any) -> CredibleSet:  # noqa: ANN401  (each field has its own type)
    fields: dict[str, Any] = {
        "names": NAMES,
        "bayes_factor": BayesFactor(20),
        "labels": Labels.BEST,
        "best": best_of(NAMES),
        "optimum": 10.0,
        "lower_bound": 10.0,
        "count": 3,
        "families": FAMILIES,
        "members": ThreeMembers(),
    }
    return CredibleSet(**(fields | changes))


def without_arcs() -> CredibleSet:
    names = ("a",)
    return credible(
        names=names,
        best=Structure(names, (Family(0, 0),)),
        count=1,
        families=(FamilyUse(Family(0, 0), 10.0, 1, 1.0, 10.0),),
    )


def axes_of(figure: Figure) -> Axes:
    (axes,) = figure.axes
    return axes


def bars(figure: Figure, label: str) -> list[tuple[float, float]]:
    """Return where each bar of this label begins and ends, from the top."""
    (group,) = (c for c in axes_of(figure).containers if c.get_label() == label)
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in group]


def row_names(figure: Figure) -> list[str]:
    return [label.get_text() for label in axes_of(figure).get_yticklabels()]


def remark(figure: Figure) -> str:
    return axes_of(figure).get_title(loc="right")


def near(pairs: list[tuple[float, float]]) -> Any:  # noqa: ANN401  (pytest's own type)
    return pytest.approx(np.array(pairs))


def test_a_pair_of_variables_has_a_bar_for_each_direction() -> None:
    figure = plot_arc_strength(credible())
    assert row_names(figure) == ["a → b"]
    there, both = 1 / TOTAL, (1 + exp(-2)) / TOTAL
    assert np.array(bars(figure, "this direction")) == near([(0, there)])
    assert np.array(bars(figure, "the opposite direction")) == near([(there, both)])
    assert remark(figure) == ""


def test_the_pairs_that_are_not_shown_are_counted() -> None:
    families = (
        FamilyUse(Family(0, 0), 0.0, 1, 1.0, 10.0),
        FamilyUse(Family(1, 0b001), 0.0, 1, 1.0, 10.0),
        FamilyUse(Family(2, 0b011), 10.0, 1, 1.0, 10.0),
    )
    one = credible(
        best=Structure(NAMES, tuple(use.family for use in families)), families=families, count=1
    )
    figure = plot_arc_strength(one, most=2)
    assert row_names(figure) == ["a → b", "a → c"]
    assert remark(figure) == "2 of 3 pairs that some network joins"
    assert row_names(plot_arc_strength(one)) == ["a → b", "a → c", "b → c"]


def test_a_set_without_arcs_says_so() -> None:
    figure = plot_arc_strength(without_arcs())
    assert row_names(figure) == []
    assert remark(figure) == "no credible network has an arc"
    save(figure, "png")


def test_relations_are_those_of_the_table_in_the_paper() -> None:
    figure = plot_relations(credible())
    assert row_names(figure) == ["b"]
    assert np.array(bars(figure, "noisy-OR")) == near([(0, 1 / 3)])
    assert np.array(bars(figure, "full table")) == near([(1 / 3, 1)])
    lines = {str(line.get_label()): line for line in axes_of(figure).get_lines()}
    assert np.asarray(lines["noisy-OR, by weight"].get_xdata()) == pytest.approx([1 / TOTAL])
    assert np.asarray(lines["noisy-OR, average"].get_xdata()) == pytest.approx([1 / 3, 1 / 3])
    assert remark(figure) == "2 of 3 nodes are never a noisy-OR"


def test_a_set_without_noisy_ors_says_so() -> None:
    figure = plot_relations(without_arcs())
    assert row_names(figure) == []
    assert remark(figure) == "1 of 1 nodes are never a noisy-OR"
    save(figure, "png")


def test_costs_rise_from_the_optimum_to_the_slack() -> None:
    figure = plot_costs(credible())
    axes = axes_of(figure)
    costs, limit = axes.get_lines()
    assert np.asarray(costs.get_xdata()).tolist() == [1, 2, 3]
    assert np.asarray(costs.get_ydata()).tolist() == [0.0, 1.0, 2.0]
    assert np.asarray(limit.get_ydata()) == pytest.approx([log(20), log(20)])
    assert axes.get_xscale() == "linear"
    (right,) = axes.child_axes
    figure.draw_without_rendering()
    assert [label.get_text() for label in right.get_yticklabels()] == ["1", "3", "10", "20"]
    assert right.get_yticks() == pytest.approx([0.0, log(3), log(10), log(20)])
    assert remark(figure) == ""


def test_many_costs_are_cut_and_on_a_logarithmic_scale() -> None:
    many = credible(members=EqualMembers(), count=5000)
    figure = plot_costs(many)
    assert len(np.asarray(axes_of(figure).get_lines()[0].get_ydata())) == 1000
    assert axes_of(figure).get_xscale() == "log"
    assert remark(figure) == "1,000 of 5,000 networks"
    assert remark(plot_costs(many, 2)) == "2 of 5,000 networks"
    save(figure, "png")


@pytest.mark.parametrize("plot", [plot_arc_strength, plot_relations, plot_costs])
def test_an_incomplete_set_is_labelled(plot: Any) -> None:  # noqa: ANN401  (one of three)
    figure = plot(credible(shortfalls=("time",)))
    assert "the credible set is not complete: 3 networks are known" in remark(figure)
    save(figure, "png")


@pytest.mark.parametrize("plot", [plot_arc_strength, plot_costs])
def test_nothing_to_show_is_refused(plot: Any) -> None:  # noqa: ANN401  (one of two)
    with pytest.raises(SettingsError, match=r"to show is 0; it must be at least 1"):
        plot(credible(), most=0)


@pytest.mark.parametrize("plot", [plot_arc_strength, plot_relations, plot_costs])
@pytest.mark.parametrize("width", [0.0, -1.0, float("nan"), float("inf")])
def test_a_width_must_be_positive(plot: Any, width: float) -> None:  # noqa: ANN401
    with pytest.raises(SettingsError, match="must be a positive number of inches"):
        plot(credible(), width=width)


CLINIC = Structure(
    ("flu", "cold", "fever", "cough", "sleep"),
    (
        Family(0, 0),
        Family(1, 0),
        Family(2, 0b00011, NOISY_OR),
        Family(3, 0b00011, LEAKY_NOISY_OR),
        Family(4, 0b01101),
    ),
)


def clinic() -> Network:
    distributions = (
        Cpt.binary([0.1]),
        Cpt.binary([0.2]),
        NoisyOr(np.array([0.25, 1.0])),
        NoisyOr(np.array([0.5, 0.0]), 0.9),
        Cpt.binary(np.linspace(0.1, 0.9, 8)),
    )
    return Network(CLINIC, variables_of(CLINIC.names), distributions, None, Provenance("test"))


def nodes(figure: Figure) -> list[Rectangle | Ellipse]:
    return [p for p in axes_of(figure).patches if isinstance(p, (Rectangle, Ellipse))]


def arrows(figure: Figure) -> list[FancyArrowPatch]:
    return [p for p in axes_of(figure).patches if isinstance(p, FancyArrowPatch)]


def names_in(figure: Figure) -> list[str]:
    return [text.get_text().replace("\n", "") for text in axes_of(figure).texts]


def test_relations_of_a_network_differ_in_shape_and_colour() -> None:
    drawn = nodes(plot_network(CLINIC))
    relations = [family.relation for family in CLINIC.families]
    assert [type(one) for one in drawn] == [
        Rectangle if relation is CPT else Ellipse for relation in relations
    ]
    assert [one.get_linestyle() for one in drawn] == [
        "--" if relation is LEAKY_NOISY_OR else "-" for relation in relations
    ]
    faces = {relation: one.get_facecolor() for relation, one in zip(relations, drawn, strict=True)}
    assert faces[CPT] != faces[NOISY_OR]
    table, noisy_or = look_of(CPT).paper, look_of(NOISY_OR).paper
    assert luminance(table.line) != pytest.approx(luminance(noisy_or.line), abs=0.05)


def luminance(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("relations", "shown"),
    [
        ((CPT, CPT), ["full table"]),
        ((CPT, NOISY_OR), ["full table", "noisy-OR"]),
        ((CPT, LEAKY_NOISY_OR), ["full table", "leaky noisy-OR"]),
    ],
)
def test_the_legend_has_the_relations_that_are_there(
    relations: tuple[Relation, ...], shown: list[str]
) -> None:
    structure = Structure(("a", "b"), (Family(0, 0), Family(1, 1, relations[1])))
    legend = axes_of(plot_network(structure)).get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == shown


def test_every_arc_is_an_arrow_from_below_its_parent_to_the_top_of_its_child() -> None:
    figure = plot_network(CLINIC)
    assert names_in(figure) == list(CLINIC.names)
    boxes = [node.get_extents() for node in nodes(figure)]
    centre = [((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes]
    arcs = [(p, family.child) for family in CLINIC.families for p in family.parent_indices()]
    assert len(arrows(figure)) == len(arcs)
    to_pixels = axes_of(figure).transData
    found = set()
    for arrow in arrows(figure):
        vertices = arrow._path_original.vertices  # type: ignore[attr-defined]
        (x0, y0), (x1, y1) = to_pixels.transform(vertices[[0, -1]])
        (parent,) = (v for v, b in enumerate(boxes) if abs(b.y0 - y0) < 2 and b.x0 < x0 < b.x1)
        (child,) = (v for v, b in enumerate(boxes) if b.x0 < x1 < b.x1 and b.y0 < y1 < b.y1 + 2)
        assert centre[parent][1] > centre[child][1]
        found.add((parent, child))
    assert found == set(arcs)


def test_nodes_do_not_overlap_and_hold_their_names() -> None:
    figure = plot_network(CLINIC)
    figure.draw_without_rendering()
    boxes = [node.get_window_extent() for node in nodes(figure)]
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:place])
        text = axes_of(figure).texts[place].get_window_extent()
        assert box.x0 < text.x0 < text.x1 < box.x1
        assert box.y0 < text.y0 < text.y1 < box.y1
    assert min(box.x0 for box in boxes) >= 0
    assert max(box.x1 for box in boxes) <= figure.bbox.x1


def test_arrows_into_a_noisy_or_are_as_thick_as_the_cause_is_strong() -> None:
    figure = plot_network(clinic(), label_arcs=True)
    # In the order of the children: fever by cold (1 - q = 0) and flu (0.75), cough (1, 0.5).
    widths = sorted(arrow.get_linewidth() for arrow in arrows(figure))
    assert widths == pytest.approx([0.4, 0.8, 0.8, 0.8, 1.4, 1.9, 2.4])
    numbers = [text for text in names_in(figure) if text not in CLINIC.names]
    assert sorted(numbers) == [".50", ".75", "0", "1"]
    assert [arrow.get_linewidth() for arrow in arrows(plot_network(CLINIC))] == [0.8] * 7


def test_arcs_can_be_as_thick_as_their_weight() -> None:
    one = credible()
    figure = plot_network(one.best, arcs=arc_strength(one), label_arcs=True)
    (arrow,) = arrows(figure)
    assert arrow.get_linewidth() == pytest.approx(0.4 + 2.0 / TOTAL)
    assert names_in(figure) == [".67", "a", "b", "c"]


def test_an_arc_without_a_weight_is_refused() -> None:
    with pytest.raises(SettingsError, match="does not have 'flu' -> 'fever'"):
        plot_network(CLINIC, arcs=arc_strength(credible()))


def test_labels_need_something_to_say() -> None:
    with pytest.raises(SettingsError, match="nothing to label the arcs with"):
        plot_network(CLINIC, label_arcs=True)


def wide(count: int) -> Structure:
    names = [f"variable {v}" for v in range(count)]
    return Structure.from_edges(names, [(names[0], other) for other in names[1:]])


def test_a_network_is_a_column_wide_or_as_wide_as_it_must_be() -> None:
    assert plot_network(CLINIC).get_figwidth() == 3.5
    figure = plot_network(wide(9))
    assert 3.5 < figure.get_figwidth() < 9
    assert {text.get_fontsize() for text in axes_of(figure).texts} == {8.0}


def test_a_width_that_is_asked_for_makes_the_font_smaller_but_not_too_small() -> None:
    figure = plot_network(wide(9), width=4.5)
    assert figure.get_figwidth() == 4.5
    (size,) = {text.get_fontsize() for text in axes_of(figure).texts}
    assert 5 <= float(size) < 8
    with pytest.raises(SettingsError, match=r"does not fit .* of 2 inches; .* it needs \d\.\d"):
        plot_network(wide(9), width=2)
    with pytest.raises(SettingsError, match="the font size is 4; it must be at least 5"):
        plot_network(CLINIC, font_size=4)


HOSTILE = ("$x^2$ <script>", r"\frac{1}{2} & 50%_#", "x" * 200)


def save(figure: Figure, kind: str) -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format=kind)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("kind", "begins"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_any_name_can_be_saved_in_any_format(kind: str, begins: bytes) -> None:
    one = credible(names=HOSTILE, best=best_of(HOSTILE))
    for figure in (
        plot_network(one.best),
        plot_arc_strength(one),
        plot_relations(one),
        plot_costs(one),
    ):
        assert save(figure, kind).startswith(begins)


def test_a_dollar_sign_is_no_formula() -> None:
    one = Structure(("$a$", "$b$"), (Family(0, 0), Family(1, 1)))
    figure = plot_network(one)
    assert names_in(figure) == ["$a$", "$b$"]
    assert not any(text.get_parse_math() for text in axes_of(figure).texts)
    bar = plot_arc_strength(credible(names=("$a$", "$b$", "c")))
    assert row_names(bar) == ["$a$ → $b$"]
    assert not any(label.get_parse_math() for label in axes_of(bar).get_yticklabels())


def test_names_are_shortened_and_stay_different() -> None:
    assert short_names(["flu", "x" * 24]) == ("flu", "x" * 24)
    assert short_names(["abcdefghij"], 5) == ("ab…ij",)
    assert short_names(["ab-long-cd", "ab-more-cd", "e"], 5) == ("ab…cd (1)", "ab…cd (2)", "e")
    assert short_names(["a\nb", "a\u200bb"]) == ("a\\nb", "a\\u200bb")


def test_bars_have_room_beside_long_names() -> None:
    names = ("W" * 30, "M" * 30, "c")
    figure = plot_arc_strength(credible(names=names))
    figure.draw_without_rendering()
    assert text_width(row_names(figure)[0]) * 8 / 72 <= 3.5 / 2
    assert axes_of(figure).get_position().width > 0.35


def test_no_window_and_no_state_of_pyplot_is_made() -> None:
    script = (
        "import sys\n"
        "from noisyor.core import Structure\n"
        "from noisyor.reporting.plots import plot_network\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plot_network(Structure.from_edges(['a', 'b'], [('a', 'b')])).savefig(sys.stdout.buffer)\n"
        "import matplotlib, matplotlib.pyplot\n"
        "assert matplotlib.pyplot.get_fignums() == []\n"
        "assert matplotlib.get_backend(auto_select=False) is None\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, timeout=HANGS_AFTER, check=True
    )
    assert done.stdout.startswith(b"\x89PNG")


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for plot in (plot_arc_strength, plot_relations, plot_costs):
        with pytest.raises(SettingsError, match=r"pip install noisyor\[plots\]"):
            plot(credible())
    with pytest.raises(SettingsError, match=r"pip install noisyor\[plots\]"):
        plot_network(CLINIC)


def test_a_relation_that_has_no_look_is_drawn_by_its_name() -> None:
    families = (Family(0, 0), Family(1, 0), Family(2, 0b011, SHARED))
    network = Network(
        Structure(("a", "b", "c"), families),
        variables_of(("a", "b", "c")),
        (Cpt.binary([0.5]), Cpt.binary([0.5]), SharedNoisyOr(0.5, (2, 2))),
        None,
        Provenance("test"),
    )
    figure = plot_network(network)
    assert [type(one) for one in nodes(figure)] == [Rectangle] * 3
    assert [one.get_linestyle() for one in nodes(figure)] == ["-", "-", "--"]
    legend = axes_of(figure).get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["full table", SHARED.name]
