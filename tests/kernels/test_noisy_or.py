import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf  # type: ignore[import-untyped]

from noisyor._kernels import available_builds, load_build
from noisyor.fitting.fitters import Fitter, settings_of
from noisyor.fitting.noisy_or import KernelFits, fit_parent_sets
from tests.fitting.problems import all_but, dataset_of, problems
from tests.oracles.noisy_or import Record
from tests.support.effort import scaled

builds = pytest.mark.parametrize("build", available_builds())
fitters = pytest.mark.parametrize("fitter", Fitter)


def fits(
    records: list[Record], fitter: Fitter, build: str, *, leak: bool, sets: list[int] | None = None
) -> KernelFits:
    every = all_but(0, len(records[0][0]))
    return fit_parent_sets(
        dataset_of(records),
        0,
        [every] if sets is None else sets,
        settings_of(fitter, max_iterations=200),
        leak=leak,
        build=load_build(build),
    )


def same_bits(one: KernelFits, other: KernelFits) -> bool:
    return [part.tobytes() for part in one] == [part.tobytes() for part in other]


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
    assert np.isfinite(first[0]).all()
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
    upper, lower, q, offsets, ends, steps = fits(records, fitter, build, leak=leak, sets=sets)
    for place, one in enumerate(sets):
        alone = fits(records, fitter, build, leak=leak, sets=[one])
        own = q[offsets[place] : offsets[place + 1]]
        assert own.size == one.bit_count() + leak
        assert alone[2].tobytes() == own.tobytes()
        assert [part[0] for part in alone[:2]] == [upper[place], lower[place]]
        assert (alone[4][0], alone[5][0]) == (ends[place], steps[place])


@builds
def test_no_parent_sets_give_nothing(build: str) -> None:
    records: list[Record] = [((1,), 1, 3), ((1,), 0, 1)]
    upper, _, q, offsets, _, _ = fits(records, Fitter.NEWTON, build, leak=False, sets=[])
    assert upper.size == q.size == 0
    assert offsets.tolist() == [0]


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
