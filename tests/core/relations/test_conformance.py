"""The conformance tests that every relation and its distributions must pass."""

import copy
import itertools
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from noisyor.core import CPT, Cpt, Distribution, Relation, Variable
from noisyor.core.configurations import configuration_codes
from noisyor.core.relations import Acting, Effect, all_relations
from noisyor.core.relations.base import Columns, Floats

Shape = tuple[int, tuple[int, ...]]
"""Numbers of states: of the child, and of each parent."""

SHAPES: list[Shape] = [
    *((2, (2,) * parents) for parents in (0, 1, 2, 4)),
    *((3, ()), (2, (3,)), (3, (2,)), (4, (3, 2)), (1, (2,))),
]


def supports(relation: Relation, shape: Shape) -> bool:
    """Return whether the relation supports a child and parents with these numbers of states."""
    child, *parents = (
        Variable(f"v{place}", tuple(map(str, range(count))), ordered=True)
        for place, count in enumerate((shape[0], *shape[1]))
    )
    return relation.supports(child, parents)


@dataclass(frozen=True)
class Example:
    """A relation and random parameters of it, some of them at their bounds."""

    relation: Relation
    distribution: Distribution

    @property
    def child_states(self) -> int:
        return self.distribution.child_states

    @property
    def parent_states(self) -> tuple[int, ...]:
        return self.distribution.parent_states

    def records(self) -> tuple[Columns, int]:
        """Return every configuration of the parents once, as columns of codes."""
        every = list(itertools.product(*(range(size) for size in self.parent_states)))
        columns = [
            np.array([codes[place] for codes in every], dtype=np.uint8)
            for place in range(len(self.parent_states))
        ]
        return columns, len(every)


def random_parameters(relation: Relation, shape: Shape, seed: int) -> Floats:
    """Return parameters in the shape that the relation uses."""
    rng = np.random.default_rng(seed)
    child, parents = shape
    if relation.causes is not None:
        causes = sum(len(relation.causes.acting_states(states)) for states in parents)
        q = rng.uniform(0, 1, (causes + relation.causes.leak) * (child - 1))
        if seed == 2:
            q[0] = 0.0  # a cause that never fails
        if seed == 3:
            q[-1] = 1.0  # one that always does
        return q
    rows = rng.dirichlet(np.ones(child), int(np.prod(parents)))
    if seed == 2:
        rows = np.eye(child)[rng.integers(0, child, len(rows))]
    return rows.reshape(-1)


EXAMPLES = [
    pytest.param(
        Example(relation, relation.distribution(random_parameters(relation, shape, seed), *shape)),
        id=f"{relation}-{shape[0]}-given-{'x'.join(map(str, shape[1])) or 'nothing'}-{seed}",
    )
    for relation in all_relations()
    for shape in SHAPES
    for seed in range(4)
    if supports(relation, shape)
]


def test_every_relation_has_examples() -> None:
    relations = {param.values[0].relation for param in EXAMPLES}  # type: ignore[union-attr]
    assert relations == set(all_relations())


@pytest.mark.parametrize("relation", all_relations(), ids=str)
class TestEveryRelation:
    """The relation itself, a value known by its name."""

    def test_copies_and_pickles_are_the_same_object(self, relation: Relation) -> None:
        assert pickle.loads(pickle.dumps(relation)) is relation  # noqa: S301  (our own bytes)
        assert copy.copy(relation) is relation
        assert copy.deepcopy(relation) is relation

    def test_it_is_frozen_and_slotted(self, relation: Relation) -> None:
        assert not hasattr(relation, "__dict__")
        with pytest.raises(AttributeError):
            relation.name = "other"  # type: ignore[misc]

    def test_it_says_whether_it_supports_a_node_without_parents(self, relation: Relation) -> None:
        assert relation.supports(Variable("a"), []) is not relation.needs_parents

    def test_it_supports_binary_variables(self, relation: Relation) -> None:
        assert relation.supports(Variable("a"), [Variable("b"), Variable("c")])

    def test_it_competes_where_it_has_fewer_parameters_than_the_full_table(
        self, relation: Relation
    ) -> None:
        if relation.closed_form:
            assert relation.least_parents == 0
            return
        for states in (2, 3):
            for parents in range(1, 5):
                sizes = (states,) * parents
                fewer = relation.parameter_count(states, sizes) < CPT.parameter_count(states, sizes)
                assert fewer is (parents >= relation.least_parents)

    def test_parameters_grow_with_the_parents(self, relation: Relation) -> None:
        counts = [relation.parameter_count(2, (2,) * size) for size in range(1, 8)]
        assert counts == sorted(set(counts))
        assert counts[0] >= 1

    def test_a_cause_model_is_made_of_known_settings(self, relation: Relation) -> None:
        if relation.causes is not None:
            assert relation.causes.effect in Effect
            assert relation.causes.acting in Acting
            assert relation.needs_parents


@pytest.mark.parametrize("example", EXAMPLES)
class TestEveryDistribution:
    """The parameters of a relation at a node."""

    def test_it_is_one_of_its_relation(self, example: Example) -> None:
        assert example.distribution.relation is example.relation
        assert example.distribution.parent_count == len(example.parent_states)

    def test_it_is_rebuilt_from_its_parameters(self, example: Example) -> None:
        one = example.distribution
        again = example.relation.distribution(
            one.parameters(), example.child_states, example.parent_states
        )
        assert again == one
        assert hash(again) == hash(one)
        assert again.parameters().tolist() == one.parameters().tolist()

    def test_pickling_gives_an_equal_one(self, example: Example) -> None:
        again = pickle.loads(pickle.dumps(example.distribution))  # noqa: S301  (our own bytes)
        assert again == example.distribution
        assert again.relation is example.relation

    def test_chances_are_a_distribution_in_each_record(self, example: Example) -> None:
        columns, records = example.records()
        chances = example.distribution.chances(columns, records)
        assert chances.shape == (example.child_states, records)
        assert (chances >= 0).all()
        assert chances.sum(axis=0) == pytest.approx(np.ones(records), abs=1e-12)

    def test_the_expanded_table_is_the_same_distribution(self, example: Example) -> None:
        table = example.distribution.expand()
        assert isinstance(table, Cpt)
        assert (table.child_states, table.parent_states) == (
            example.child_states,
            example.parent_states,
        )
        columns, records = example.records()
        chances = example.distribution.chances(columns, records)
        assert table.chances(columns, records) == pytest.approx(chances, abs=1e-15)
        for number in range(len(table.table)):
            codes = configuration_codes(number, example.parent_states)
            single = [np.array([code], dtype=np.uint8) for code in codes]
            own = example.distribution.chances(single, 1)[:, 0]
            assert table.table[number] == pytest.approx(own, abs=1e-15)

    def test_logarithms_agree_with_chances(self, example: Example) -> None:
        columns, records = example.records()
        chances = example.distribution.chances(columns, records)
        logs = example.distribution.log_chances(columns, records)
        assert logs.shape == chances.shape
        assert np.exp(logs) == pytest.approx(chances, rel=1e-12, abs=1e-15)

    def test_an_impossible_state_has_no_chance_and_an_infinite_logarithm(
        self, example: Example
    ) -> None:
        columns, records = example.records()
        impossible = example.distribution.chances(columns, records) == 0
        assert (np.isneginf(example.distribution.log_chances(columns, records)) == impossible).all()

    def test_causes_are_those_of_the_relation(self, example: Example) -> None:
        causes = example.distribution.causes()
        model = example.relation.causes
        if model is None:
            assert causes == ()
            return
        levels = [q for cause in causes for q in cause.levels]
        assert levels == example.distribution.parameters().tolist()
        assert [cause.strength for cause in causes] == [1 - cause.q for cause in causes]
        expected = [
            (place, state)
            for place, states in enumerate(example.parent_states)
            for state in model.acting_states(states)
        ]
        named = [(cause.parent, cause.state) for cause in causes if cause.parent is not None]
        assert named == expected
        assert [cause.parent for cause in causes[len(named) :]] == [None] * model.leak

    def test_a_cause_alone_moves_the_child_with_its_strength(self, example: Example) -> None:
        model = example.relation.causes
        if model is None or model.leak:
            return
        parents = example.parent_states
        idle = [0 if model.effect is Effect.MAX else states - 1 for states in parents]
        resting = 0 if model.effect is Effect.MAX else example.child_states - 1
        for cause in example.distribution.causes():
            assert cause.parent is not None
            codes = [*idle[: cause.parent], cause.state, *idle[cause.parent + 1 :]]
            single = [np.array([code], dtype=np.uint8) for code in codes]
            chances = example.distribution.chances(single, 1)[:, 0]
            assert chances[resting] == pytest.approx(cause.q, abs=1e-15)

    def test_its_parameters_cannot_be_changed(self, example: Example) -> None:
        given = example.distribution.parameters()
        before = given.tolist()
        if given.flags.writeable:  # then it is a copy
            given[:] = 0.5
        assert example.distribution.parameters().tolist() == before
