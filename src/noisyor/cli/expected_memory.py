"""What `learn` and `score` say about their memory before they start."""

from noisyor.cli.estimate_command import memory_said
from noisyor.cli.terminal import note
from noisyor.core import BayesFactor, BinaryDataset, Constraints, Relation
from noisyor.runs.preflight import Estimate, brief_trial
from noisyor.scoring.memory import peak_so_far, scoring_memory
from noisyor.scoring.pilot import pilot
from noisyor.search.table_search import check_limits


def say_learning_memory(expected: Estimate) -> None:
    """Say on standard error about how much memory a run takes."""
    note(memory_said(expected.memory))


def say_scoring_memory(
    data: BinaryDataset,
    factor: BayesFactor,
    *,
    relations: tuple[Relation, ...],
    constraints: Constraints,
    jobs: int | None,
    time_limit: float | None,
) -> None:
    """Try for a moment, and say on standard error about how much memory scoring takes."""
    check_limits(jobs, time_limit, None)  # before anything is said
    so_far = peak_so_far()
    tried = pilot(
        data,
        factor,
        relations=relations,
        constraints=constraints,
        jobs=jobs,
        seconds=brief_trial(time_limit),
    )
    note(memory_said(scoring_memory(data, constraints, tried, jobs, so_far)))
