import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf  # type: ignore[import-untyped]

from noisyor._kernels import available_builds, kernels, load_build
from noisyor.fitting.fitters import Fitter, settings_of
from noisyor.fitting.noisy_or import fit_parent_sets
from tests.fitting.problems import all_but, dataset_of, problems
from tests.oracles.noisy_or import Record
from tests.oracles.profile import lowest
from tests.support.effort import scaled

builds = pytest.mark.parametrize("build", available_builds())
fitters = pytest.mark.parametrize("fitter", Fitter)


def fits(
    records: list[Record], fitter: Fitter, build: str, *, leak: bool, sets: list[int] | None = None
) -> "kernels.NoisyOrFits":
    every = all_but(0, len(records[0][0]))
    return fit_parent_sets(
        dataset_of(records),
        0,
        [every] if sets is None else sets,
        settings_of(fitter, max_iterations=200),
        leak=leak,
        build=load_build(build),
    )


def same_bits(one: "kernels.NoisyOrFits", other: "kernels.NoisyOrFits") -> bool:
    columns = ("upper", "lower", "q", "offsets", "ends", "steps")
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in columns)


@pytest.mark.skipif(len(available_builds()) < 2, reason="this machine runs one build only")
@fitters
@given(problems(covered=False), st.booleans())
@settings(max_examples=scaled(150))
def test_every_build_gives_the_same_bits(fitter: Fitter, records: list[Record], leak: bool) -> None:
    first, *others = (fits(records, fitter, build, leak=leak) for build in available_builds())
    assert all(same_bits(first, other) for other in others)


@pytest.mark.skipif(len(available_builds()) < 2, reason="this machine runs one build only")
@fitters
@pytest.mark.parametrize("width", [40, 65, 128, 200])
def test_every_build_gives_the_same_bits_on_wide_sets(fitter: Fitter, width: int) -> None:
    random = np.random.default_rng(width)
    table = (random.random((120, width)) < 0.1).astype(int)
    table[:, 0] |= table.sum(axis=1) == 0
    records = [(tuple(row), int(place % 3 > 0), 1) for place, row in enumerate(table.tolist())]
    first, *others = (fits(records, fitter, build, leak=False) for build in available_builds())
    assert np.isfinite(first.upper).all()
    assert all(same_bits(first, other) for other in others)


@builds
@fitters
@given(problems(covered=False, max_parents=4), st.booleans())
@settings(max_examples=scaled(50))
def test_a_batch_equals_its_members_one_by_one(
    build: str, fitter: Fitter, records: list[Record], leak: bool
) -> None:
    every = all_but(0, len(records[0][0]))
    sets = list(range(2, every + 1, 2))
    batch = fits(records, fitter, build, leak=leak, sets=sets)
    for place, one in enumerate(sets):
        alone = fits(records, fitter, build, leak=leak, sets=[one])
        own = batch.q[batch.offsets[place] : batch.offsets[place + 1]]
        assert own.size == one.bit_count() + leak
        assert alone.q.tobytes() == own.tobytes()
        for column in ("upper", "lower", "ends", "steps"):
            assert getattr(alone, column)[0] == getattr(batch, column)[place]


@builds
def test_no_parent_sets_give_nothing(build: str) -> None:
    records: list[Record] = [((1,), 1, 3), ((1,), 0, 1)]
    none = fits(records, Fitter.NEWTON, build, leak=False, sets=[])
    assert none.upper.size == none.q.size == 0
    assert none.offsets.tolist() == [0]


@builds
@given(st.floats(1e-300, 600.0) | st.floats(1e-20, 1.0) | st.floats(0.9, 1.1))
@settings(max_examples=scaled(400))
def test_the_kernels_own_exponential_and_logarithm(build: str, x: float) -> None:
    present, absent, logarithm, of_complement = load_build(build).evaluate_lanes(x)
    with mp.workdps(400):  # exp(-600) and 1e-300 beside 1
        exact = -mp.expm1(-mpf(x))
        assert abs(mpf(present) - exact) <= mpf("4e-16") * exact
        assert abs(mpf(absent) - mp.exp(-mpf(x))) <= mpf("4e-16") * mp.exp(-mpf(x))
        assert abs(mpf(logarithm) - mp.log(mpf(x))) <= mpf("4e-16") * abs(mp.log(mpf(x)))
        log_present = mp.log1p(-mp.exp(-mpf(x)))
        assert abs(mpf(of_complement) - log_present) <= mpf("1e-15") * abs(log_present)


@pytest.mark.skipif(len(available_builds()) < 2, reason="this machine runs one build only")
@given(problems(covered=False, max_parents=4), st.floats(0.01, 3))
@settings(max_examples=100, deadline=None)
def test_every_build_gives_the_same_fit_with_a_base(records: list[Record], base: float) -> None:
    """The first cause of a problem is held fast; the last row has the base alone."""
    present = [(parents, count) for parents, child, count in records if child]
    rows = np.array([[*parents[1:]] for parents, _ in present] + [[0] * (len(records[0][0]) - 1)])
    counts = np.array([count for _, count in present] + [2], dtype=np.float64)
    absent = np.arange(1, rows.shape[1] + 1, dtype=np.float64)
    found = [
        load_build(build).fit_with_base(
            rows=rows.astype(np.float64),
            counts=counts,
            absent=absent,
            base=np.full(len(counts), base),
            near=np.empty(0),
            gap=1e-9,
            max_steps=200,
        )
        for build in available_builds()
    ]
    assert all(one.rates.tobytes() == found[0].rates.tobytes() for one in found)
    assert all(one.gap <= 1e-9 for one in found)


@st.composite
def rows_with_bases(draw: st.DrawFn) -> tuple[list[tuple[tuple[int, ...], int, float]], list[int]]:
    """Draw rows (causes, count, base), each with a cause or a base, and the causes' `absent`."""
    absent = draw(st.lists(st.integers(1, 60), min_size=1, max_size=2))
    cause = st.integers(0, 1)
    row = st.tuples(
        st.tuples(*[cause] * len(absent)),
        st.integers(1, 60),
        st.just(0.0) | st.floats(1e-3, 6.0),
    )
    rows = st.lists(row.filter(lambda one: any(one[0]) or one[2] > 0), min_size=1, max_size=6)
    return draw(rows), absent


@builds
@given(rows_with_bases())
@settings(max_examples=scaled(40), deadline=None)
def test_a_fit_with_bases_is_the_oracles(
    build: str, problem: tuple[list[tuple[tuple[int, ...], int, float]], list[int]]
) -> None:
    """To the oracle, the base of a row is a cause held fast that is in this row alone."""
    rows, absent = problem
    width = len(absent)

    def only(place: int, size: int) -> tuple[int, ...]:
        return tuple(int(here == place) for here in range(size))

    records = [
        ((*causes, *only(place, len(rows))), 1, count)
        for place, (causes, count, _) in enumerate(rows)
    ] + [((*only(place, width), *[0] * len(rows)), 0, count) for place, count in enumerate(absent)]
    held = {width + place: math.exp(-base) for place, (_, _, base) in enumerate(rows)}
    found = load_build(build).fit_with_base(
        rows=np.array([causes for causes, _, _ in rows], dtype=np.float64),
        counts=np.array([count for _, count, _ in rows], dtype=np.float64),
        absent=np.array(absent, dtype=np.float64),
        base=np.array([base for _, _, base in rows]),
        near=np.empty(0),
        gap=1e-9,
        max_steps=200,
    )
    assert found.gap <= 1e-9
    free = dict(enumerate(np.exp(-found.rates).tolist()))
    assert lowest(records, {**held, **free}) == pytest.approx(lowest(records, held), abs=1e-8)


@builds
def test_a_fit_without_rows_has_no_strengths(build: str) -> None:
    found = load_build(build).fit_with_base(
        rows=np.empty((0, 2)),
        counts=np.empty(0),
        absent=np.array([3.0, 1.0]),
        base=np.empty(0),
        near=np.empty(0),
        gap=1e-9,
        max_steps=200,
    )
    assert found.rates.tolist() == [0.0, 0.0]
    assert found.gap == 0
