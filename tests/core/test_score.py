"""Scores: the penalties of parameters, and lookup by name."""

import copy
import itertools
import math
import pickle

import pytest

from noisyor.core import AIC, BIC, CPT, LEAKY_NOISY_OR, NOISY_OR, Score, SettingsError, ebic
from noisyor.core.pruning_rules import ALL_RULES
from noisyor.core.relations import Relation, all_relations
from noisyor.core.score import SCORES, bdeu, bds, check_score, score_named


def test_a_parameter_costs_half_the_logarithm_of_the_records_by_bic() -> None:
    assert BIC.penalty(CPT, 2, (2,) * 3, 100) == pytest.approx(8 * math.log(100) / 2)
    assert BIC.penalty(NOISY_OR, 2, (2,) * 3, 100) == pytest.approx(3 * math.log(100) / 2)
    assert BIC.penalty(LEAKY_NOISY_OR, 2, (2,) * 3, 100) == pytest.approx(4 * math.log(100) / 2)
    assert BIC.penalty(CPT, 2, (2, 2), 1) == 0


@pytest.mark.parametrize("records", [1, 100, 10**9])
def test_a_parameter_costs_one_nat_by_aic(records: int) -> None:
    assert AIC.penalty(CPT, 2, (2,) * 3, records) == 8
    assert AIC.penalty(NOISY_OR, 2, (2,) * 3, records) == 3


def test_states_beyond_two_are_charged_for() -> None:
    assert AIC.penalty(CPT, 3, (4, 2), 10) == 2 * 8
    assert BIC.penalty(CPT, 5, (), 10) == pytest.approx(4 * math.log(10) / 2)


@pytest.mark.parametrize("relation", all_relations(), ids=str)
@pytest.mark.parametrize("score", SCORES.values(), ids=str)
def test_penalties_grow_with_the_parents_as_the_pruning_rules_need(
    score: Score, relation: Relation
) -> None:
    if not score.is_defined_for(relation):
        assert relation is not CPT
        return
    penalties = [score.penalty(relation, 2, (2,) * size, 50) for size in range(1, 9)]
    assert penalties == sorted(penalties)
    assert len(set(penalties)) == (8 if score.dirichlet is None else 1)
    assert score.rules == ALL_RULES


@pytest.mark.parametrize("name", ["bdeu", "bds", "k2", "qnml"])
def test_scores_of_full_tables_are_defined_for_these_alone(name: str) -> None:
    score = score_named(name)
    assert [one for one in all_relations() if score.is_defined_for(one)] == [CPT]
    assert score.default_relations == (CPT,)
    with pytest.raises(
        SettingsError, match=f"the score {name} is not defined for noisy-or; allowed: cpt"
    ):
        check_score(score, (CPT, NOISY_OR))


def test_pseudo_counts_are_divided() -> None:
    counts = [score_named(name).dirichlet for name in ("bdeu(12)", "bds(12)", "k2", "qnml")]
    assert [one and one.pseudo_count(3, 4, 2) for one in counts] == [1.0, 2.0, 1.0, None]


@pytest.mark.parametrize("size", [0, -1, 5e-324, 1.1e6, math.inf, math.nan])
def test_a_sample_size_of_nothing_is_refused(size: float) -> None:
    for make in (bdeu, bds):
        with pytest.raises(SettingsError, match="must be from 1e-100 to 1e"):
            make(size)


def test_scores_are_found_by_name() -> None:
    assert score_named("bic") is BIC
    assert score_named("aic") is AIC
    assert score_named(AIC) is AIC
    assert score_named("ebic") is ebic() is ebic(1)
    assert score_named("ebic(0.5)") is score_named(" ebic( 0.50 ) ") is ebic(0.5)
    assert [str(score) for score in SCORES.values()] == list(SCORES)
    with pytest.raises(SettingsError, match="there is no score 'mdl'; allowed: bic, aic, ebic"):
        score_named("mdl")
    with pytest.raises(SettingsError, match=r"there is no score 'bic\(2\)'"):
        score_named("bic(2)")
    with pytest.raises(SettingsError, match="ebic takes one number"):
        score_named("ebic(one)")


@pytest.mark.parametrize("gamma", [-0.1, math.inf, math.nan])
def test_a_gamma_below_0_is_refused(gamma: float) -> None:
    with pytest.raises(SettingsError, match="must be a number of at least 0"):
        ebic(gamma)


@pytest.mark.parametrize(("gamma", "text"), [(1, "ebic"), (2, "ebic(2)"), (0.25, "ebic(0.25)")])
def test_the_text_of_a_score_names_it(gamma: float, text: str) -> None:
    assert str(ebic(gamma)) == text
    assert score_named(text) is ebic(gamma)


def test_extended_bic_charges_for_the_number_of_parents() -> None:
    score = ebic(2)
    assert score.penalty(CPT, 2, (2, 2), 50) == BIC.penalty(CPT, 2, (2, 2), 50)
    sizes = [score.size_penalty(size, 9) for size in range(9)]
    assert sizes == pytest.approx([2 * math.log(math.comb(8, size)) for size in range(9)])
    assert BIC.size_penalty(3, 9) == 0
    # Concave, as the pruning rules need, and falling in the end.
    rises = [after - before for before, after in itertools.pairwise(sizes)]
    assert rises == sorted(rises, reverse=True)
    assert rises[-1] < 0


@pytest.mark.parametrize("score", [*SCORES.values(), ebic(0.5), bdeu(10), bds(2.5)], ids=str)
def test_copies_and_pickles_are_the_same_object(score: Score) -> None:
    assert pickle.loads(pickle.dumps(score)) is score  # noqa: S301  (our own bytes)
    assert copy.deepcopy(score) is score
    assert repr(score) == f"{type(score).__name__}(name='{score}')"
    assert score_named(str(score)) is score


class TablesAlone(Score):
    """A score that is defined for full tables only."""

    __slots__ = ()

    def is_defined_for(self, relation: Relation) -> bool:
        return relation.closed_form


def test_relations_without_the_score_are_refused() -> None:
    check_score(BIC, all_relations())
    alone = TablesAlone("tables-alone", lambda _: 1.0)
    check_score(alone, (CPT,))
    with pytest.raises(SettingsError, match="tables-alone is not defined for noisy-or"):
        check_score(alone, (CPT, NOISY_OR))
