"""What `learn` and `score` print about their memory before they start."""

from noisyor.cli.estimate_command import memory_line
from noisyor.cli.terminal import note
from noisyor.core.machine import peak_memory
from noisyor.core.request import Request
from noisyor.runs.preflight import Estimate, brief_trial
from noisyor.scoring.memory import scoring_memory
from noisyor.scoring.pilot import pilot


def say_learning_memory(expected: Estimate) -> None:
    """Print on standard error about how much memory a run takes."""
    note(memory_line(expected.memory))


def say_scoring_memory(request: Request) -> None:
    """Run a short trial, and print on standard error about how much memory scoring takes."""
    so_far = peak_memory()
    tried = pilot(request, seconds=brief_trial(request.limits.seconds))
    jobs = request.limits.jobs
    note(memory_line(scoring_memory(request.data, request.constraints, tried, jobs, so_far)))
