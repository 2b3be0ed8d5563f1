# The names of the package. `__init__.py` reads them here, and imports each when it is used.
from noisyor.scoring.child_search import ChildScores, CountBy, scores_in
from noisyor.scoring.record_source import RecordSource, SourceStatistics
from noisyor.scoring.scoring import Scored, ScoringInterrupted, score, score_request
from noisyor.scoring.statistics import FitCounts, RelationStatistics, ScoringStatistics
from noisyor.scoring.structure_cost import StructureCost, score_structure
from noisyor.scoring.tables import stacked

__all__ = [
    "ChildScores",
    "CountBy",
    "FitCounts",
    "RecordSource",
    "RelationStatistics",
    "Scored",
    "ScoringInterrupted",
    "ScoringStatistics",
    "SourceStatistics",
    "StructureCost",
    "score",
    "score_request",
    "score_structure",
    "scores_in",
    "stacked",
]
