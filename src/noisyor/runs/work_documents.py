"""The statistics of a search as a document."""

from collections.abc import Mapping
from dataclasses import asdict, fields

from noisyor.core.pruning_rules import CUTTING_RULES, PruningRule
from noisyor.core.relations import relation_named
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.scoring import FitCounts, RelationStatistics, ScoringStatistics

WORK_KEYS = ("relations", "fits")


def work_document(work: ScoringStatistics) -> dict[str, object]:
    """Return the fields of a document: those of WORK_KEYS."""
    return {
        "relations": {
            relation.name: {
                "considered": one.considered,
                "cut": {str(int(rule)): count for rule, count in one.cut.items()},
                "evaluated": one.evaluated,
                "bounds": one.bounds,
                "kept": one.kept,
            }
            for relation, one in work.relations.items()
        },
        "fits": asdict(work.fits),
    }


def work_in(places: Mapping[str, JsonPlace]) -> ScoringStatistics:
    """Return the statistics in the fields of a document, those of WORK_KEYS."""
    relations = {}
    for name, place in places["relations"].by_name().items():
        with complaints_at(place):
            relation = relation_named(name)
        counted = place.fields(*(one.name for one in fields(RelationStatistics)))
        by_rule = counted.pop("cut").fields(*(str(int(rule)) for rule in CUTTING_RULES))
        relations[relation] = RelationStatistics(
            cut={PruningRule(int(rule)): count for rule, count in _counts(by_rule).items()},
            **_counts(counted),
        )
    fits = places["fits"].fields(*(one.name for one in fields(FitCounts)))
    return ScoringStatistics(relations, FitCounts(**_counts(fits)))


def _counts(places: Mapping[str, JsonPlace]) -> dict[str, int]:
    return {key: place.whole_number(0) for key, place in places.items()}
