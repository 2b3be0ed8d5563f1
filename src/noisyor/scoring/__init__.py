"""From records to the families that some credible network might use."""

from noisyor.scoring.child_search import ChildScores, CountBy, scores_in
from noisyor.scoring.record_source import RecordSource, SourceStatistics
from noisyor.scoring.rules import ALL_RULES, PruningRule
from noisyor.scoring.scoring import Scored, ScoringInterrupted, ScoringProgress, score
from noisyor.scoring.statistics import FitCounts, RelationStatistics, ScoringStatistics
from noisyor.scoring.structure_cost import StructureCost, score_structure
from noisyor.scoring.tables import stacked

__all__ = [
    "ALL_RULES",
    "ChildScores",
    "CountBy",
    "FitCounts",
    "PruningRule",
    "RecordSource",
    "RelationStatistics",
    "Scored",
    "ScoringInterrupted",
    "ScoringProgress",
    "ScoringStatistics",
    "SourceStatistics",
    "StructureCost",
    "score",
    "score_structure",
    "scores_in",
    "stacked",
]
