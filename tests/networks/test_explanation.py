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
    Variable,
)
from noisyor.core.relations import (
    LEAKY_NOISY_AND,
    NOISY_AND,
    SIGNED_NOISY_AND,
    SIGNED_NOISY_OR,
    all_relations,
)
from noisyor.core.variable_sets import to_words, word_count
from noisyor.fitting import fit, fitted_by
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
    assert found.leak == ()


def test_costs_are_split_into_fit_and_penalty() -> None:
    found = explain(named(TWO_CAUSES, ("fever", "flu", "cold")), Family(0, 0b110, NOISY_OR))
    # The table's relative frequencies are those of a noisy-OR, so both fit equally well.
    fit = entropy(80, 20) + entropy(50, 50) + entropy(90, 10)
    weight = math.log(400) / 2
    assert found.table is not None
    assert found.own.fit == pytest.approx(fit)
    assert found.own.penalty == pytest.approx(2 * weight)
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
    (leak,) = found.leak
    assert leak.cause is None
    assert leak.strength == pytest.approx(0.2, abs=1e-6)
    assert found.causes[0].strength == pytest.approx(0.5, abs=1e-6)  # 0.4 = 0.8 * 0.5
    # Its profile is that of the 20 in 100 alone: the cause can compensate for any other leak.
    assert leak.interval.lower == pytest.approx(0.129749, abs=1e-6)
    assert leak.interval.upper == pytest.approx(0.285427, abs=1e-6)
    assert leak.sentence() == (
        "something else brings about fever with probability 0.20 (0.13 to 0.29)"
    )
    assert found.sentences() == (
        found.sentence(),
        found.causes[0].sentence(),
        leak.sentence(),
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
    saved = found.own.cost - found.table.cost
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
        "plague brings about fever with unknown probability: no record says how strong it is"
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
    interval = StrengthInterval(lower, upper, determined=True)
    one = CauseStrength("a", "b", "a brings about b", q, interval)
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
    assert found.own.fit == pytest.approx(42 * math.log(2))
    assert found.saving == pytest.approx(found.table_penalty - found.own.cost)
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
    assert aic.own.penalty == 2  # one nat for each cause
    assert aic.table is not None
    assert aic.table.penalty == aic.table_penalty == 4
    assert bic.own.penalty == pytest.approx(2 * math.log(data.record_count) / 2)
    assert aic.own.fit == pytest.approx(bic.own.fit)


def test_a_relation_without_causes_is_not_explained() -> None:
    with (
        fitted_by(SHARED, fit_shared),
        pytest.raises(ValueError, match="a shared-noisy-or has no causes to explain; a noisy-or"),
    ):
        explain(dataset_of(ONE_CAUSE), Family(0, 0b10, SHARED))


def states_data(columns: dict[str, tuple[Variable, list[int]]]) -> Dataset:
    """Return records from the codes of each variable."""
    codes = np.array([own for _, own in columns.values()]).T
    rows, weights = np.unique(codes[:, ::-1], axis=0, return_counts=True)
    return Dataset(
        tuple(variable for variable, _ in columns.values()),
        np.ascontiguousarray(rows[:, ::-1]).astype(np.uint8),
        weights.astype(np.int64),
    )


VACCINE: list[Record] = [((1,), 1, 10), ((1,), 0, 90), ((0,), 1, 46), ((0,), 0, 54)]


def test_an_absence_that_acts_is_named_as_one() -> None:
    data = named(VACCINE, ("infection", "vaccine"), (("no", "yes"), ("no", "yes")))
    found = explain(data, Family(0, 0b10, SIGNED_NOISY_OR))
    (absence,) = found.causes
    assert absence.cause == "no vaccine"
    assert absence.strength == pytest.approx(0.4, abs=1e-5)  # 0.54 = 0.9 * 0.6
    assert absence.sentence().startswith(
        "no vaccine brings about infection with probability 0.40 (0.2"
    )
    assert found.leak[0].strength == pytest.approx(0.1, abs=1e-5)
    assert found.sentence().startswith("infection as signed-noisy-or of vaccine costs")


BOTH: list[Record] = [
    ((1, 1), 1, 100),
    ((0, 1), 1, 20),
    ((0, 1), 0, 80),
    ((1, 0), 1, 50),
    ((1, 0), 0, 50),
    ((0, 0), 1, 10),
    ((0, 0), 0, 90),
]


def test_a_noisy_and_says_what_is_needed_and_what_happens_without_it() -> None:
    data = named(BOTH, ("admission", "fever", "cough"))
    found = explain(data, Family(0, 0b110, NOISY_AND))
    assert found.summary == "fever and cough are both needed for admission"
    assert found.sentences()[1:] == (
        found.summary,
        "without fever, admission fails to occur with probability 0.80 (0.73 to 0.86)",
        "without cough, admission fails to occur with probability 0.50 (0.41 to 0.59)",
    )
    leaky = explain(data, Family(0, 0b110, LEAKY_NOISY_AND))
    assert (
        leaky.leak[0]
        .sentence()
        .startswith("with all that is needed, admission still fails to occur with probability 0.00")
    )


def test_a_signed_noisy_and_may_need_an_absence() -> None:
    turned: list[Record] = [((fever, 1 - cough), c, n) for (fever, cough), c, n in BOTH]
    data = named(turned, ("admission", "fever", "beds full"))
    found = explain(data, Family(0, 0b110, SIGNED_NOISY_AND))
    assert found.summary == "fever and no beds full are both needed for admission"
    assert [one.statement for one in found.causes] == [
        "without fever, admission fails to occur",
        "with beds full, admission fails to occur",
    ]


def test_nothing_is_said_to_be_needed_that_may_not_matter() -> None:
    records: list[Record] = [(((n >> 1) & 1, n & 1), 1, 9) for n in range(4)]
    records += [(((n >> 1) & 1, n & 1), 0, 1) for n in range(4)]
    found = explain(named(records, ("admission", "a", "b")), Family(0, 0b110, LEAKY_NOISY_AND))
    assert found.summary is None


def test_three_are_all_needed_and_states_without_words_are_named() -> None:
    states = (("out", "in"), ("low", "high"), ("no", "yes"), ("no", "yes"))
    records: list[Record] = [((1, 1, 1), 1, 50)]
    for lacking in range(3):
        above = [1, 1, 1]
        above[lacking] = 0
        records += [(tuple(above), 1, 20), (tuple(above), 0, 30)]
    found = explain(named(records, ("bed", "pain", "fever", "cough"), states), AND_OF_THREE)
    assert found.summary == "pain = high, fever and cough are all needed for bed = in"
    assert found.causes[0].statement == "with pain = low, bed = in fails to occur"


AND_OF_THREE = Family(0, 0b1110, NOISY_AND)


def smokers() -> Dataset:
    """Return a cough that heavy smoking makes severe in 4 of 10, and mild in half of the others."""
    smoking = [0] * 40 + [2] * 100
    cough = [0] * 40 + [2] * 40 + [1] * 30 + [0] * 30
    return states_data(
        {
            "smoking": (Variable("smoking", ("never", "light", "heavy")), smoking),
            "cough": (Variable("cough", ("none", "mild", "severe"), ordered=True), cough),
        }
    )


def test_the_levels_of_a_noisy_max_are_told_from_the_highest() -> None:
    found = explain(smokers(), Family(1, 0b01, NOISY_OR))
    assert found.called == "noisy-max"
    unknown = "with unknown probability: no record says how strong it is"
    half = "with probability 0.50 (0.38 to 0.62)"
    assert found.cause_sentences() == (
        f"smoking = light raises cough to severe {unknown}",
        f"where cough is at most mild, smoking = light raises it to mild {unknown}",
        "smoking = heavy raises cough to severe with probability 0.40 (0.31 to 0.50)",
        f"where cough is at most mild, smoking = heavy raises it to mild {half}",
    )
    assert [one.effect for one in found.causes] == ["cough = mild", "cough = severe"] * 2


def test_a_noisy_min_lowers_its_child() -> None:
    turned = states_data(
        {
            "exercise": (
                Variable("exercise", ("none", "some", "much")),
                [2] * 40 + [0] * 100,
            ),
            "fitness": (
                Variable("fitness", ("low", "middle", "high"), ordered=True),
                [2] * 40 + [0] * 40 + [1] * 30 + [2] * 30,
            ),
        }
    )
    found = explain(turned, Family(1, 0b01, NOISY_AND))
    assert found.called == "noisy-min"
    half = "with probability 0.50 (0.38 to 0.62)"
    assert found.summary == "exercise decides how high fitness can be"
    assert found.cause_sentences()[:2] == (
        "exercise = none lowers fitness to low with probability 0.40 (0.31 to 0.50)",
        f"where fitness is at least middle, exercise = none lowers it to middle {half}",
    )


def test_a_signed_relation_takes_no_state_without_records_for_the_idle_one() -> None:
    # Nobody smokes lightly, and the leak explains those who never smoke.
    smoking = [0] * 100 + [2] * 100
    cough = [1] * 20 + [0] * 80 + [1] * 60 + [0] * 40
    data = states_data(
        {
            "smoking": (Variable("smoking", ("never", "light", "heavy")), smoking),
            "cough": (Variable("cough"), cough),
        }
    )
    found = explain(data, Family(1, 0b01, SIGNED_NOISY_OR))
    light, heavy = found.causes
    assert light.cause == "smoking = light"
    assert not light.interval.determined
    assert heavy.strength == pytest.approx(0.5, abs=1e-5)  # 0.4 = 0.8 * 0.5
    assert found.leak[0].strength == pytest.approx(0.2, abs=1e-5)
    assert "no record says how strong it is" in light.sentence()


def test_other_relations_on_the_same_parents_are_compared() -> None:
    data, family = named(BOTH, ("admission", "fever", "cough")), Family(0, 0b110, NOISY_AND)
    found = explain(data, family, relations=all_relations())
    margins = {one.relation: one.margin for one in found.rivals}
    assert margins.keys() == set(all_relations()) - {CPT, NOISY_AND}
    own = fit(data, family).cost
    for relation, margin in margins.items():
        if relation is NOISY_OR:  # some are admitted without fever and cough
            assert margin is None
        else:
            assert margin == pytest.approx(fit(data, Family(0, 0b110, relation)).cost - own)
    leak = math.log(400) / 2  # one more parameter, which fits nothing better
    words = found.sentences()[1]
    assert words.startswith(f"on the same parents, leaky-noisy-and costs {leak:.2f} more; ")
    assert words.endswith("; noisy-or cannot explain every record")
    better = explain(data, Family(0, 0b110, LEAKY_NOISY_AND), relations=[NOISY_AND])
    assert better.sentences()[1] == f"on the same parents, noisy-and costs {leak:.2f} less"


def test_a_relation_that_does_not_compete_is_not_compared() -> None:
    data = named(ONE_CAUSE, ("fever", "flu"))
    found = explain(data, Family(0, 0b10, NOISY_OR), relations=all_relations())
    assert [one.relation for one in found.rivals] == [NOISY_AND]  # one parent and no leak
