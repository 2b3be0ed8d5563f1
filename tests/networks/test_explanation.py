"""A noisy-OR says what it means: strengths with intervals, and its cost against a full table's."""

import math

import numpy as np
import pytest

from noisyor.core import (
    AIC,
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Dataset,
    Family,
    InfeasibleFitError,
    SettingsError,
)
from noisyor.core.variable_sets import to_words, word_count
from noisyor.fitting import fitted_by
from noisyor.networks.explanation import CauseStrength, Explanation, explain
from noisyor.networks.profile_likelihood import StrengthInterval
from tests.fitting.problems import dataset_of
from tests.oracles.profile import Record
from tests.toy.shared_strength import SHARED, fit_shared

ONE_CAUSE: list[Record] = [((1,), 1, 82), ((1,), 0, 18), ((0,), 0, 100)]
TWO_CAUSES: list[Record] = [
    ((1, 0), 1, 80),
    ((1, 0), 0, 20),
    ((0, 1), 1, 50),
    ((0, 1), 0, 50),
    ((1, 1), 1, 90),  # exactly 1 - 0.2 * 0.5
    ((1, 1), 0, 10),
    ((0, 0), 0, 100),
]


def named(
    records: list[Record], names: tuple[str, ...], states: tuple[tuple[str, str], ...] = ()
) -> Dataset:
    plain = dataset_of(records)
    return Dataset.from_bits(names, plain.bits, plain.weights, states)


def entropy(present: int, absent: int) -> float:
    total = present + absent
    return -sum(n * math.log(n / total) for n in (present, absent) if n)


def test_a_cause_says_its_strength_and_how_sure_that_is() -> None:
    found = explain(named(ONE_CAUSE, ("fever", "flu")), Family(0, 0b10, NOISY_OR))
    (flu,) = found.causes
    assert flu.q == pytest.approx(0.18)
    assert flu.strength == pytest.approx(0.82)
    # s^82 (1 - s)^18 falls to exp(-1.920729) of its largest value at these two.
    assert flu.interval.lower == pytest.approx(0.737104, abs=1e-6)
    assert flu.interval.upper == pytest.approx(0.886712, abs=1e-6)
    assert flu.sentence() == "flu brings about fever with probability 0.82 (0.74 to 0.89)"
    assert found.leak is None


def test_costs_are_split_into_fit_and_penalty() -> None:
    found = explain(named(TWO_CAUSES, ("fever", "flu", "cold")), Family(0, 0b110, NOISY_OR))
    # The table's relative frequencies are those of a noisy-OR, so both fit equally well.
    fit = entropy(80, 20) + entropy(50, 50) + entropy(90, 10)
    weight = math.log(400) / 2
    assert found.table is not None
    assert found.noisy_or.fit == pytest.approx(fit)
    assert found.noisy_or.penalty == pytest.approx(2 * weight)
    assert found.table.fit == pytest.approx(fit)
    assert found.table.penalty == pytest.approx(4 * weight)
    assert found.table_penalty == found.table.penalty
    assert found.saving == pytest.approx(2 * weight)
    assert found.is_preferred
    assert found.sentence() == (
        "fever as noisy-or of flu, cold costs 157.85 nats (fit 151.86, penalty 5.99); the full "
        "table on the same parents costs 163.85 nats (fit 151.86, penalty 11.98): noisy-or saves "
        "5.99"
    )


def test_a_leak_is_what_happens_without_a_cause() -> None:
    records: list[Record] = [((1,), 1, 60), ((1,), 0, 40), ((0,), 1, 20), ((0,), 0, 80)]
    found = explain(named(records, ("fever", "flu")), Family(0, 0b10, LEAKY_NOISY_OR))
    assert found.leak is not None
    assert found.leak.cause is None
    assert found.leak.strength == pytest.approx(0.2, abs=1e-6)
    assert found.causes[0].strength == pytest.approx(0.5, abs=1e-6)  # 0.4 = 0.8 * 0.5
    # Its profile is that of the 20 in 100 alone: the cause can compensate for any other leak.
    assert found.leak.interval.lower == pytest.approx(0.129749, abs=1e-6)
    assert found.leak.interval.upper == pytest.approx(0.285427, abs=1e-6)
    assert found.leak.sentence() == (
        "what is not among the causes brings about fever with probability 0.20 (0.13 to 0.29)"
    )
    assert found.sentences() == (
        found.sentence(),
        found.causes[0].sentence(),
        found.leak.sentence(),
    )


def test_a_tie_goes_to_the_table() -> None:
    records: list[Record] = [((1,), 1, 60), ((1,), 0, 40), ((0,), 1, 20), ((0,), 0, 80)]
    found = explain(named(records, ("fever", "flu")), Family(0, 0b10, LEAKY_NOISY_OR))
    assert found.saving == pytest.approx(0, abs=1e-7)
    assert not found.is_preferred
    assert found.sentence().endswith(": a tie, which goes to the table")


def test_where_the_table_is_better_it_says_so() -> None:
    exclusive: list[Record] = [  # either cause alone, but never both
        ((1, 0), 1, 50),
        ((0, 1), 1, 50),
        ((1, 1), 0, 50),
        ((0, 0), 0, 50),
    ]
    found = explain(dataset_of(exclusive), Family(0, 0b110, NOISY_OR))
    assert found.table is not None
    assert found.table.fit == 0
    assert not found.is_preferred
    saved = found.noisy_or.cost - found.table.cost
    assert found.saving == pytest.approx(-saved)
    assert found.sentence().endswith(f": the table saves {saved:.2f}")


def test_states_are_named_where_they_are_no_word_for_present() -> None:
    states = (("No", "Yes"), ("male", "female"))
    found = explain(named(ONE_CAUSE, ("fever", "sex"), states), Family(0, 0b10, NOISY_OR))
    assert found.causes[0].sentence().startswith("sex = female brings about fever with")


def test_a_cause_that_the_records_say_nothing_of_says_that() -> None:
    found = explain(
        named([((1, 0), 1, 5), ((1, 0), 0, 5)], ("fever", "flu", "plague")),
        Family(0, 0b110, NOISY_OR),
    )
    assert found.causes[1].interval == StrengthInterval(0, 1, determined=False)
    assert found.causes[1].sentence() == (
        "the records do not say how strongly plague brings about fever: any probability fits them "
        "equally well"
    )


@pytest.mark.parametrize(
    ("q", "lower", "upper", "numbers"),
    [
        (0.18, 0.71, 0.9, "0.82 (0.71 to 0.90)"),
        (1.0, 0.0, 0.0039, "0.000 (0.000 to 0.004)"),
        (0.5, 0.4999, 0.5001, "0.5000 (0.4999 to 0.5001)"),
        (0.5, 0.5 - 1e-9, 0.5 + 1e-9, "0.500000 (0.500000 to 0.500000)"),
        (0.0, 1.0, 1.0, "1.000000 (1.000000 to 1.000000)"),
    ],
)
def test_there_are_digits_enough_to_tell_the_ends_apart(
    q: float, lower: float, upper: float, numbers: str
) -> None:
    one = CauseStrength("a", "b", q, StrengthInterval(lower, upper, determined=True))
    assert one.sentence() == f"a brings about b with probability {numbers}"


def test_a_higher_level_makes_wider_intervals() -> None:
    data = dataset_of(TWO_CAUSES)
    family = Family(0, 0b110, NOISY_OR)
    usual, wider = explain(data, family), explain(data, family, level=0.99)
    assert (usual.level, wider.level) == (0.95, 0.99)
    for inner, outer in zip(usual.causes, wider.causes, strict=True):
        assert outer.interval.lower < inner.interval.lower
        assert outer.interval.upper > inner.interval.upper


def many_causes(count: int) -> Explanation:
    """Explain a child that each of many causes was present with twice: once it acted."""
    rows = sorted(1 << (cause + 1) | child for cause in range(count) for child in (0, 1))
    data = Dataset.from_bits(
        tuple(f"V{v}" for v in range(count + 1)),
        to_words(rows, word_count(count + 1)),
        np.ones(len(rows), dtype=np.int64),
    )
    return explain(data, Family(0, (1 << (count + 1)) - 2, NOISY_OR))


def test_a_table_that_is_too_large_is_not_fitted() -> None:
    found = many_causes(21)
    assert found.table is None
    assert found.table_penalty == pytest.approx(2**21 * math.log(42) / 2)
    assert found.noisy_or.fit == pytest.approx(42 * math.log(2))
    assert found.saving == pytest.approx(found.table_penalty - found.noisy_or.cost)
    assert found.is_preferred
    assert found.sentence().endswith(
        "; a full table of 21 parents is too large to be fitted, and its penalty alone would be "
        f"{found.table_penalty:.2f}"
    )


def test_with_sixty_causes_each_has_its_interval() -> None:
    found = many_causes(60)
    assert len(found.causes) == 60
    for one in found.causes:
        # s (1 - s) falls to exp(-1.920729)/4 at (1 - sqrt(1 - exp(-1.920729)))/2 and its mirror.
        edge = (1 - math.sqrt(1 - math.exp(-1.920729410347062))) / 2
        assert one.interval.lower == pytest.approx(edge, abs=1e-6)
        assert one.interval.upper == pytest.approx(1 - edge, abs=1e-6)


def test_what_cannot_be_explained_is_refused() -> None:
    with pytest.raises(InfeasibleFitError, match="it is present in 3 of 8 records"):
        explain(dataset_of([((0,), 1, 3), ((1,), 1, 5)]), Family(0, 0b10, NOISY_OR))
    with pytest.raises(ValueError, match="a full table has no causes"):
        explain(dataset_of(ONE_CAUSE), Family(0, 0b10, CPT))
    with pytest.raises(SettingsError, match="the level of an interval is 95"):
        explain(dataset_of(ONE_CAUSE), Family(0, 0b10, NOISY_OR), level=95)


def test_the_score_says_what_parameters_cost() -> None:
    data, family = dataset_of(TWO_CAUSES), Family(0, 0b110, NOISY_OR)
    bic, aic = explain(data, family), explain(data, family, score=AIC)
    assert aic.noisy_or.penalty == 2  # one nat for each cause
    assert aic.table is not None
    assert aic.table.penalty == aic.table_penalty == 4
    assert bic.noisy_or.penalty == pytest.approx(2 * math.log(data.record_count) / 2)
    assert aic.noisy_or.fit == pytest.approx(bic.noisy_or.fit)


def test_a_relation_without_causes_is_not_explained() -> None:
    with (
        fitted_by(SHARED, fit_shared),
        pytest.raises(ValueError, match="a shared-noisy-or has no causes to explain; a noisy-or"),
    ):
        explain(dataset_of(ONE_CAUSE), Family(0, 0b10, SHARED))
