"""A fit that is asked for again is not made again, and is the one of these very records."""

from collections import Counter

import pytest

from noisyor.core import CPT, LEAKY_NOISY_OR, Dataset, Family
from noisyor.fitting import fit, relations
from noisyor.fitting.fitters import FitterSettings
from noisyor.fitting.likelihood_fit import LikelihoodFit
from tests.scoring.problems import random_dataset

FAMILIES = (Family(0, 0b110, CPT), Family(0, 0b110, LEAKY_NOISY_OR), Family(1, 0b101, CPT))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[Family]:
    """Count the fits that are made."""
    counts: Counter[Family] = Counter()
    likelihood = relations.fit_likelihood

    def counted(
        data: Dataset, family: Family, settings: FitterSettings | None = None
    ) -> LikelihoodFit:
        counts[family] += 1
        return likelihood(data, family, settings)

    monkeypatch.setattr(relations, "fit_likelihood", counted)
    return counts


def test_a_family_is_fitted_once_to_the_same_records(made: Counter[Family]) -> None:
    data = random_dataset(3, variables=3, records=80)
    for family in FAMILIES * 3:
        fit(data, family)
    assert made == Counter(FAMILIES)


def test_penalties_are_not_remembered(made: Counter[Family]) -> None:
    data = random_dataset(4, variables=3, records=80)
    family = FAMILIES[0]
    costs = {score: fit(data, family, score=score).cost for score in ("bic", "aic")}
    assert costs["bic"] > costs["aic"]
    assert made[family] == 1


def test_other_records_and_settings_are_fitted_anew(made: Counter[Family]) -> None:
    data, other = (random_dataset(seed, variables=3, records=80) for seed in (5, 6))
    family = FAMILIES[1]
    first, second = fit(data, family), fit(other, family)
    assert first.cost != second.cost
    fit(data, family, tolerance=1e-3)
    assert made[family] == 3


def test_a_relation_with_another_fit_is_fitted_by_that() -> None:
    data = random_dataset(7, variables=3, records=80)
    worse = LikelihoodFit(fit(data, FAMILIES[0]).distribution, 1e6, 1e6)
    before = fit(data, FAMILIES[0]).cost

    def other_fit(_data: Dataset, _family: Family, _settings: FitterSettings) -> LikelihoodFit:
        return worse

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(relations._fits, CPT, other_fit)
        assert fit(data, FAMILIES[0]).cost > 1e5 > before
    assert fit(data, FAMILIES[0]).cost == before


def test_not_more_fits_than_a_limit_are_remembered(
    made: Counter[Family], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relations, "_MOST_REMEMBERED", 1)
    data = random_dataset(8, variables=3, records=80)
    for family in FAMILIES * 2:
        fit(data, family)
    assert [made[family] for family in FAMILIES] == [1, 2, 2]
