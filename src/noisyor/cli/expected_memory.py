"""What `learn` and `score` say about their memory before they start."""

from noisyor.cli.estimate_command import memory_said
from noisyor.cli.terminal import note
from noisyor.core.machine import peak_memory
from noisyor.core.request import Request
from noisyor.runs.preflight import Estimate, brief_trial
from noisyor.scoring.memory import scoring_memory
from noisyor.scoring.pilot import pilot


def say_learning_memory(expected: Estimate) -> None:
    """Say on standard error about how much memory a run takes."""
    note(memory_said(expected.memory))


def say_scoring_memory(request: Request) -> None:
    """Try for a moment, and say on standard error about how much memory scoring takes."""
    so_far = peak_memory()
    tried = pilot(request, seconds=brief_trial(request.limits.seconds))
    jobs = request.limits.jobs
    note(memory_said(scoring_memory(request.data, request.constraints, tried, jobs, so_far)))
