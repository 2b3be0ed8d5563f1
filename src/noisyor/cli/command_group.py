"""The commands, each loaded when it is called: most need only a part of the package."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from noisyor.cli.going_on import keep_arguments
from noisyor.cli.interruptions import interruptions
from noisyor.cli.terminal import errors_as_exit_codes, one_line_warnings, refuse_little_memory

COMMANDS = {
    "describe": (
        "describe_command",
        "Summarize a table: its variables, their states and shares, and where cells are missing.",
    ),
    "examples": (
        "data_commands",
        "List the data that come with noisyor, describe one example, or write it to a file.",
    ),
    "binarize": (
        "binarize_command",
        "Turn a table of numbers and categories into a binary one.",
    ),
    "estimate": (
        "estimate_command",
        "Estimate the number of families, and the memory and time that learning will take.",
    ),
    "learn": (
        "learn_command",
        "Find the best network for a table of records, with a proof, and every credible one.",
    ),
    "calibrate": (
        "calibrate_command",
        "Find the temperature at which the weights of credible networks can be believed.",
    ),
    "compare-scores": (
        "compare_scores_command",
        "Compare how well scores and relations predict held-out records of a table.",
    ),
    "score": (
        "score_command",
        "Score every family that could be in a credible network, and write the table.",
    ),
    "merge": ("merge_command", "Merge the parts of a score table, and write the table."),
    "search": ("search_command", "Find the best network, with a proof, and every credible one."),
    "show": (
        "network_commands",
        "Show a network: its variables, relations and parents, or one variable in detail.",
    ),
    "convert": (
        "network_commands",
        "Write a network in another format; warnings name the relations that it cannot keep.",
    ),
    "compare": (
        "network_commands",
        "Show how network B differs from network A: edges added, missing, reversed; relations.",
    ),
    "impute": (
        "impute_command",
        "Fill the gaps of a table from a network: with draws, or with what is most probable.",
    ),
    "fit": (
        "fit_command",
        "Fit the parameters of a network to records, starting from its own numbers.",
    ),
    "likelihood": (
        "likelihood_command",
        "Evaluate how well a network predicts records: their mean log-likelihood, in nats.",
    ),
    "query": (
        "query_command",
        "Compute the probabilities of the states of variables, given what was observed.",
    ),
    "advise": (
        "advise_command",
        "Rank findings by how informative they are, or numbers by how much an answer depends on them.",  # noqa: E501
    ),
    "sample": ("sample_command", "Draw random records from a network, with its names and states."),
    "report": ("report_command", "Write a self-contained HTML report of a run or of any network."),
}
"""By name, in the order of the help: the module of the command, and what it does."""


class CommandGroup(TyperGroup):
    """The commands; their errors are messages: no traceback for an error the user can fix."""

    _is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002  (typer types neither)
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002
        """Return a command, which is loaded now; for the list of commands, only its help."""
        if cmd_name not in COMMANDS:
            return None
        module, what = COMMANDS[cmd_name]
        if self._is_listing:
            return TyperCommand(cmd_name, help=what)
        if cmd_name not in self.commands:
            refuse_little_memory()
            part = typer.Typer()
            import_module(f"noisyor.cli.{module}").add_to(part)
            part.callback()(_nothing)  # a group, also of a single command
            self.commands.update(typer.main.get_group(part).commands)
            interruptions.begin()
        return self.commands[cmd_name]

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the help, which lists all commands and runs none."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False

    def make_context(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401
        """Parse the command line; turn errors into exit codes, as `invoke` does."""
        arguments = named["args"] if "args" in named else given[1]
        keep_arguments(arguments)
        with errors_as_exit_codes():
            return super().make_context(*given, **named)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Run a command; turn errors, interruptions and closed pipes into exit codes."""
        with errors_as_exit_codes(), one_line_warnings():
            return super().invoke(ctx)


def _nothing() -> None:
    """Do nothing before a command."""
