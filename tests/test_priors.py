"""Extended BIC and priors give the networks that brute force finds, however these are found."""

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from noisyor import Learned, Prior, explain, learn, load, read_prior
from noisyor.cli import app
from noisyor.core import CPT, LEAKY_NOISY_OR, Constraints, Dataset, FormatError, SettingsError
from noisyor.core.relations import relation_named
from noisyor.core.request import Request
from noisyor.core.score import score_named
from noisyor.formats import read_scores
from noisyor.scoring.climbing import Climbing
from noisyor.scoring.structure_cost import score_structure
from tests.oracles.families import all_costs
from tests.oracles.networks import NaiveSet, better_relations, credible_set
from tests.oracles.structure_costs import with_prior, with_sizes
from tests.scoring.problems import random_dataset
from tests.support.effort import chosen

RELATIONS = (CPT, LEAKY_NOISY_OR)
ARCS = {(0, 1): 0.999, (1, 0): 0.02, (2, 3): 0.9999, (4, 1): 0.8}
PRIOR = Prior(
    {(f"v{parent}", f"v{child}"): own for (parent, child), own in ARCS.items()},
    0.3,
    {"leaky-noisy-or": 3.0},
)


def brute_force(data: Dataset, gamma: float, *, believed: bool, factor: float) -> NaiveSet:
    costs = all_costs(data, RELATIONS, Constraints.none(data.names))
    costs = with_sizes(costs, gamma, data.variable_count)
    if believed:
        costs = with_prior(costs, ARCS, 0.3, {"leaky-noisy-or": 3.0})
    coded = {
        (child, parents, relation_named(name).code): cost
        for (child, parents, name), cost in costs.items()
    }
    found = credible_set(better_relations(coded), data.variable_count, math.log(factor))
    assert found is not None
    return found


def networks_of(learned: Learned) -> set[tuple[tuple[int, int, int], ...]]:
    return {
        tuple((one.child, one.parents, one.relation.code) for one in member.structure.families)
        for member in learned.members()
    }


@pytest.mark.parametrize("method", ["table", "price", "layers"])
@pytest.mark.parametrize(
    ("score", "believed"),
    chosen(
        quick=[("ebic(5)", False), ("ebic(0.5)", True)],
        full=[("ebic", False), ("ebic(5)", False), ("bic", True), ("ebic(0.5)", True)],
    ),
)
def test_every_method_finds_what_brute_force_finds(method: str, score: str, believed: bool) -> None:
    data = random_dataset(4, variables=5, records=60)
    prior = PRIOR if believed else None
    learned = learn(
        data, 20, score=score, relations=RELATIONS, prior=prior, method=method, jobs=1, quiet=True
    )
    expected = brute_force(data, score_named(score).gamma, believed=believed, factor=20)
    assert learned.complete
    assert learned.optimum == pytest.approx(expected.optimum, abs=1e-6)
    assert networks_of(learned) == expected.networks
    assert learned.best.cost == pytest.approx(expected.optimum, abs=1e-6)


def test_costs_may_be_negative() -> None:
    data = random_dataset(1, variables=5, records=4)
    sure = Prior({("v0", "v4"): 1 - 1e-9, ("v1", "v4"): 1 - 1e-9}, 1e-6)
    found = [
        learn(data, 20, prior=sure, method=method, jobs=1, quiet=True)
        for method in ("table", "price", "layers")
    ]
    assert found[0].optimum < 0
    for one in found:
        assert one.complete
        assert one.optimum == pytest.approx(found[0].optimum, abs=1e-6)
        assert networks_of(one) == networks_of(found[0])
    assert ("v0", "v4") in found[0].best.structure.edges()


def test_climbers_know_the_prior() -> None:
    data = random_dataset(4, variables=5, records=60)
    request = Request.of(data, 20, score="ebic", relations=RELATIONS, prior=PRIOR, jobs=1)
    climbing = Climbing(request, climbers=1)
    climbing.run(lambda: False, rounds=3)
    scored = score_structure(
        data, climbing.structure(), score="ebic", relations=RELATIONS, prior=PRIOR
    )
    assert climbing.cost == pytest.approx(scored.total, abs=1e-3)
    assert scored.total >= brute_force(data, 1.0, believed=True, factor=20).optimum - 1e-6


def test_a_prior_is_recorded_and_shown(tmp_path: Path) -> None:
    data = random_dataset(4, variables=5, records=60)
    learned = learn(data, 20, prior=PRIOR, folder=tmp_path / "run", jobs=1, quiet=True)
    again = load(tmp_path / "run")
    assert learned.structure_prior == again.structure_prior == PRIOR
    assert again.best.cost == pytest.approx(learned.optimum)
    assert again.table is not None
    assert again.table.scope.prior == PRIOR
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["settings"]["structure_prior"] == str(PRIOR)
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Prior of arcs and relations" in page
    assert PRIOR.words() in page
    with pytest.raises(Exception, match="other"):
        learn(data, 20, folder=tmp_path / "run", jobs=1, quiet=True)


def test_an_explanation_has_the_prior_as_a_part() -> None:
    data = random_dataset(4, variables=5, records=60)
    family = next(
        use.family
        for use in learn(data, 1000, prior=PRIOR, jobs=1, quiet=True).credible.families
        if use.family.relation == LEAKY_NOISY_OR
    )
    explained = explain(data, family, structure_prior=PRIOR)
    plain = explain(data, family)
    assert explained.own.fit == pytest.approx(plain.own.fit)
    assert explained.own.penalty == plain.own.penalty
    assert explained.own.cost == pytest.approx(plain.own.cost + explained.own.prior)
    assert explained.own.prior < explained.table.prior  # type: ignore[union-attr]
    assert f"prior {explained.own.prior:.2f}" in str(explained.own)
    assert "prior" not in str(plain.own)


def test_arc_strengths_of_a_run_are_a_prior_of_the_next(tmp_path: Path) -> None:
    data = random_dataset(4, variables=5, records=60)
    first = learn(data, 20, folder=tmp_path / "run", jobs=1, quiet=True)
    prior = read_prior(tmp_path / "run" / "arcs.csv")
    assert prior.arc == 0.01
    for arc in first.arc_strength():
        expected = min(max(arc.weight, 0.01), 0.99)
        assert prior.probabilities()[arc.parent, arc.child] == pytest.approx(expected)
    second = learn(data, 20, prior=tmp_path / "run" / "arcs.csv", jobs=1, quiet=True)
    assert second.structure_prior == prior


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "its first line is ''; it must be from,to,probability"),
        ("from,to\na,b\n", "its first line is 'from,to'"),
        ("from,to,probability\na,b,often\n", "line 2: 'often' is no probability"),
        ("from,to,probability\na,b\n", "line 2: None is no probability"),
        ("from,to,probability\na,b,0,9\n", "line 2 has more cells than the first line"),
        ("from,to,probability\na,b,1\n", "required knowledge: a -> b"),
        ('from,to,probability\n"a,b,1\n', "it is no CSV file"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prior.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as error:
        read_prior(path)
    assert str(path) in str(error.value)


def test_the_command_line_states_a_prior(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    data = random_dataset(4, variables=5, records=60)
    rows = data.codes.repeat(data.weights, axis=0).tolist()
    table.write_text("\n".join([",".join(data.names), *(",".join(map(str, row)) for row in rows)]))
    prior = tmp_path / "prior.csv"
    prior.write_text("from,to,probability\nv0,v1,0.9\n")
    options = ["--prior", str(prior), "--arc-probability", "0.2"]
    options += ["--relation-weight", "leaky-noisy-or=0.5", "--score", "ebic(0.5)", "--jobs", "1"]
    expected = Prior({("v0", "v1"): 0.9}, 0.2, {"leaky-noisy-or": 0.5})
    learned = CliRunner().invoke(app, ["learn", str(table), *options, "--json", "--quiet"])
    assert learned.exit_code == 0, learned.output
    said = json.loads(learned.stdout)["settings"]
    assert said["structure_prior"] == str(expected)
    assert said["score"] == "ebic(0.5)"
    shown = CliRunner().invoke(app, ["learn", str(table), *options, "--quiet"])
    said = " ".join(shown.stdout.split())
    assert "score ebic(0.5), prior: probabilities of 1 arc, 0.2 for any other arc" in said
    scores = tmp_path / "scores.parquet"
    scored = CliRunner().invoke(app, ["score", str(table), "-o", str(scores), *options, "--quiet"])
    assert scored.exit_code == 0, scored.output
    assert read_scores(scores).scope.prior == expected
    assert str(read_scores(scores).scope.score) == "ebic(0.5)"
    wrong = CliRunner().invoke(app, ["learn", str(table), "--relation-weight", "cpt=much"])
    assert wrong.exit_code != 0
    assert isinstance(wrong.exception, SettingsError) or "cpt=0.5" in wrong.output
