"""A relation whose causes are not a noisy-OR's goes all the way from records to the report."""

import json
from pathlib import Path

import numpy as np
import pytest

import noisyor
from noisyor.core import Dataset, Family
from noisyor.fitting import fit, fitted_by
from tests.toy.noisy_and import NOISY_AND, NoisyAnd, fit_noisy_and


def records() -> Dataset:
    """Return records in which the absence of each of two variables often prevents the last."""
    random = np.random.default_rng(5)
    causes = random.random((400, 3)) < 0.6
    prevented = (~causes[:, :2] & (random.random((400, 2)) < [0.9, 0.7])).any(axis=1)
    return noisyor.read(np.column_stack([causes, ~prevented]).astype(np.int64))


def test_its_fit_is_that_of_the_exchanged_table() -> None:
    data = records()
    with fitted_by(NOISY_AND, fit_noisy_and):
        fitted = fit(data, Family(3, 0b0011, NOISY_AND))
        table = fitted.distribution.expand()
        logs = table.log_chances([data.column(0), data.column(1)], len(data.weights))
        chosen = logs[data.column(3), np.arange(len(data.weights))]
        loss = -float((data.weights * chosen).sum())
    assert isinstance(fitted.distribution, NoisyAnd)
    assert fitted.cost == pytest.approx(loss + np.log(400), abs=1e-6)


def test_it_is_learned_reported_shown_and_asked(tmp_path: Path) -> None:
    data = records()
    relations = ("cpt", "noisy-or", "leaky-noisy-or", NOISY_AND.name)
    with fitted_by(NOISY_AND, fit_noisy_and):
        learned = noisyor.learn(data, 20, relations=relations, folder=tmp_path / "run", quiet=True)
        assert learned.complete
        place = next(
            child
            for child, family in enumerate(learned.best.structure.families)
            if family.relation is NOISY_AND
        )
        report = json.loads((tmp_path / "run" / "report.json").read_text(encoding="utf-8"))
        assert NOISY_AND.name in json.dumps(report)
        answer = learned.query([data.names[place]])
        assert 0 < answer.present[0] < 1
        assert noisyor.load(tmp_path / "run").best == learned.best
