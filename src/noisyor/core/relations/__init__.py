"""The ways in which a child may depend on its parents, and their parameters at a node."""

from noisyor.core.relations.base import (
    Acting,
    Cause,
    CauseModel,
    Distribution,
    Effect,
    Relation,
)
from noisyor.core.relations.full_table import CPT, Cpt, binary_table, full_table
from noisyor.core.relations.noisy_or import LEAKY_NOISY_OR, NOISY_OR, NoisyOr
from noisyor.core.relations.registry import (
    PAPER_RELATIONS,
    all_relations,
    cause_relation,
    registered,
    relation_named,
    relation_of,
    relations_from,
    root_relation,
)

__all__ = [
    "CPT",
    "LEAKY_NOISY_OR",
    "NOISY_OR",
    "PAPER_RELATIONS",
    "Acting",
    "Cause",
    "CauseModel",
    "Cpt",
    "Distribution",
    "Effect",
    "NoisyOr",
    "Relation",
    "all_relations",
    "binary_table",
    "cause_relation",
    "full_table",
    "registered",
    "relation_named",
    "relation_of",
    "relations_from",
    "root_relation",
]
