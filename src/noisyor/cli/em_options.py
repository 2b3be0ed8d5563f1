"""The options of structural EM, and what it did."""

from dataclasses import dataclass
from typing import Annotated

import typer

from noisyor.core import SettingsError
from noisyor.data.missing import MissingPolicy
from noisyor.incomplete.options import Em
from noisyor.runs.missing_cells import MissingCells

_PANEL = "Missing cells, with --missing em"
_DEFAULT = Em()

CompletionsOption = Annotated[
    int | None,
    typer.Option(
        "--completions",
        metavar="K",
        help=f"Completions of every record in each step. Default: {_DEFAULT.completions}.",
        rich_help_panel=_PANEL,
    ),
]
StartsOption = Annotated[
    int | None,
    typer.Option(
        "--starts",
        metavar="N",
        help=f"How many times EM is started. Default: {_DEFAULT.starts}.",
        rich_help_panel=_PANEL,
    ),
]
EmSeedOption = Annotated[
    int | None,
    typer.Option(
        "--em-seed",
        metavar="SEED",
        help=f"The seed of the draws. Default: {_DEFAULT.seed}.",
        rich_help_panel=_PANEL,
    ),
]
EmStepsOption = Annotated[
    int | None,
    typer.Option(
        "--em-steps",
        metavar="N",
        help=f"The most steps of a start. Default: {_DEFAULT.steps}.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True, slots=True)
class EmOptions:
    """The options of structural EM."""

    completions: CompletionsOption = None
    starts: StartsOption = None
    em_seed: EmSeedOption = None
    em_steps: EmStepsOption = None

    def em(self, missing: MissingPolicy) -> Em:
        """Return the options of EM; refuse them with another policy."""
        given = {
            "--completions": self.completions,
            "--starts": self.starts,
            "--em-seed": self.em_seed,
            "--em-steps": self.em_steps,
        }
        chosen = [flag for flag, value in given.items() if value is not None]
        if chosen and missing is not MissingPolicy.EM:
            verb = "belongs" if len(chosen) == 1 else "belong"
            raise SettingsError(f"{' and '.join(chosen)} {verb} to --missing em")
        return Em(
            completions=_DEFAULT.completions if self.completions is None else self.completions,
            starts=_DEFAULT.starts if self.starts is None else self.starts,
            seed=_DEFAULT.seed if self.em_seed is None else self.em_seed,
            steps=_DEFAULT.steps if self.em_steps is None else self.em_steps,
        )


def missing_line(missing: MissingCells) -> str:
    """Return what was done about missing cells, in one line."""
    if missing.em is None:
        left_out = f", {missing.left_out} records left out" if missing.left_out else ""
        return f"missing cells: {missing.policy}{left_out}"
    em = missing.em
    return (
        f"{missing.cells} cells were missing in {missing.incomplete_records} records, completed by "
        f"EM; log-likelihood of the observed cells {em.log_likelihood:.6f}"
    )
