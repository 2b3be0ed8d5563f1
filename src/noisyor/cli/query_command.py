"""The command that queries a network."""

from collections.abc import Iterable
from decimal import Decimal
from math import exp, floor, inf, isfinite, log10
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.options import (
    ForgivingOption,
    JsonOption,
    ModelArgument,
    ModelPresentOption,
    unique_pairs,
)
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import Network, NetworkError, NetworkSet, SettingsError
from noisyor.inference import AveragedPosteriors, Inference, MostProbable, Posteriors, average
from noisyor.interop.network_files import read_model

TargetsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET]...", help="Variables to query. Default: all that were not observed."
    ),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        "-g",
        metavar="NAME=STATE,...",
        help="What was observed, several separated by commas; may be repeated.",
    ),
]
MostProbableOption = Annotated[
    bool,
    typer.Option("--most-probable", help="The most probable states of all variables together."),
]


_TINY = 1e-9
_PRESENT_FIRST = (1, 0)  # the order in which states are shown
"""Probabilities below this are written with an exponent."""


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "query",
        epilog="Examples:\n\nnoisyor query clinic.json flu --given fever=yes,cough=no\n\n"
        "noisyor query clinic.xdsl --most-probable --given fever=yes --json",
    )(query)


def query(
    model: ModelArgument,
    targets: TargetsArgument = None,
    *,
    given: GivenOption = None,
    most_probable: MostProbableOption = False,
    present: ModelPresentOption = None,
    forgiving: ForgivingOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compute the probabilities of the states of variables, given what was observed.

    The answer is exact. For a credible set, it is averaged over the networks.
    """
    asked = read_model(model, present=unique_pairs(present, "--present"), forgiving=forgiving)
    evidence = observations(given, asked)
    if most_probable:
        if isinstance(asked, NetworkSet) or targets:
            raise SettingsError(
                "--most-probable gives all variables of one network: name no targets, and a file "
                "with a single network"
            )
        _print_most_probable(Inference(asked).most_probable(evidence), as_json=as_json)
    elif isinstance(asked, NetworkSet):
        _print_averages(average(asked, targets or None, evidence), as_json=as_json)
    else:
        _print_posteriors(Inference(asked).posteriors(targets or None, evidence), as_json=as_json)


def observations(given: Iterable[str] | None, model: Network | NetworkSet) -> dict[str, str]:
    """Return what was observed, from texts like `a=yes,b=no`.

    A text that is a variable, `=` and one of its states, or a variable up to its last `=`, is one
    observation: names and states may contain commas and `=`. Otherwise, commas separate.
    """
    found: dict[str, str] = {}
    for text in given or ():
        whole = text.rpartition("=")[0] in model.names or _is_observation(text.strip(), model)
        for part in [text] if whole else text.split(","):
            name, state = _name_and_state(part.strip(), model)
            if not (name and state):
                raise NetworkError(f"--given has {part!r}; it must look like NAME=STATE")
            if found.setdefault(name, state) != state:
                raise NetworkError(
                    f"--given says that {name!r} is {found[name]!r} and that it is {state!r}"
                )
    return found


def _is_observation(text: str, model: Network | NetworkSet) -> bool:
    return _has_state(*_name_and_state(text, model), model)


def _name_and_state(text: str, model: Network | NetworkSet) -> tuple[str, str]:
    """Split at the `=` between a variable and one of its states, else at the last one."""
    for place in (place for place, letter in enumerate(text) if letter == "="):
        if _has_state(text[:place], text[place + 1 :], model):
            return text[:place], text[place + 1 :]
    name, _, state = text.rpartition("=")
    return (name, state) if name in model.names else (name.strip(), state.strip())


def _has_state(name: str, state: str, model: Network | NetworkSet) -> bool:
    return name in model.names and state in model.states[model.names.index(name)]


def _print_posteriors(answer: Posteriors, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "given": dict(answer.given),
                "evidence_probability": answer.evidence_probability,
                "log_evidence": answer.log_evidence,
                "posteriors": {name: dict(answer[name]) for name in answer},
            }
        )
        return
    _print_evidence(answer.given, answer.log_evidence)
    table = Table("variable", "state")
    table.add_column("probability", justify="right")
    for name in answer:
        for place, (state, chance) in enumerate(answer[name].items()):
            table.add_row("" if place else name, state, probability(chance))
    results().print(table)


def _print_averages(answer: AveragedPosteriors, *, as_json: bool) -> None:
    if as_json:
        print_json(averages_summary(answer))
        return
    for shortfall in answer.shortfalls:
        note(f"not complete: {shortfall}")
    if answer.impossible_weight:
        note(
            f"networks with {answer.impossible_weight:.2%} of the weight rule the observations out "
            "and are left out"
        )
    console = results()
    if answer.given:
        seen = ", ".join(f"{name}={state}" for name, state in answer.given)
        console.print(f"given {seen}")
    drawn = "" if answer.standard_error is None else " drawn"
    console.print(f"averaged over {answer.members}{drawn} of {answer.count} credible networks")
    table = Table("variable", "state")
    for head in ("mean", "least", "most", *([] if not drawn else ["standard error"])):
        table.add_column(head, justify="right")
    columns = [answer.chances, answer.lowest, answer.highest]
    if answer.standard_error is not None:
        columns.append(answer.standard_error)
    for place, name in enumerate(answer.names):
        for state in _PRESENT_FIRST:
            cells = (probability(float(column[place, state])) for column in columns)
            label = answer.states[place][state]
            table.add_row(name if state else "", label, *cells)
    console.print(table)


def averages_summary(answer: AveragedPosteriors) -> dict[str, object]:
    """Return averaged posteriors as JSON's own types, by variable and state."""
    return {
        "given": dict(answer.given),
        "members": answer.members,
        "networks": answer.count,
        "complete": not answer.shortfalls,
        "impossible_weight": answer.impossible_weight,
        "posteriors": {
            name: {
                answer.states[place][state]: _state_summary(answer, place, state)
                for state in _PRESENT_FIRST
            }
            for place, name in enumerate(answer.names)
        },
    }


def _state_summary(answer: AveragedPosteriors, place: int, state: int) -> dict[str, object]:
    errors = answer.standard_error
    return {
        "mean": float(answer.chances[place, state]),
        "least": float(answer.lowest[place, state]),
        "most": float(answer.highest[place, state]),
        "quantiles": {
            str(level): float(row[place, state])
            for level, row in zip(answer.levels, answer.quantiles, strict=True)
        },
        "standard_error": _finite(None if errors is None else errors[place, state]),
    }


def _finite(error: float | None) -> float | None:
    """Return the number, or None if it is not finite: JSON has no infinity."""
    return None if error is None or not isfinite(error) else float(error)


def _print_most_probable(answer: MostProbable, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "given": dict(answer.given),
                "states": dict(answer.states),
                "posterior": answer.posterior,
                "log_probability": answer.log_probability,
            }
        )
        return
    console = results()
    console.print(f"probability {probability(answer.posterior)} given the observations")
    table = Table("variable", "state", "observed")
    observed = dict(answer.given)
    for name, state in answer.states.items():
        table.add_row(name, state, "yes" if name in observed else "")
    console.print(table)


def _print_evidence(given: tuple[tuple[str, str], ...], log_chance: float) -> None:
    if given:
        seen = ", ".join(f"{name}={state}" for name, state in given)
        results().print(f"given {seen} (probability {_of_logarithm(log_chance)})")


def _of_logarithm(log_chance: float) -> str:
    """Return the probability with this logarithm, even if it underflows a float."""
    if exp(log_chance) >= _TINY:
        return probability(exp(log_chance))
    return f"{Decimal(log_chance).exp():.1e}"


def probability(chance: float) -> str:
    """Return a probability with enough digits to differ from 0 and 1, or with an exponent."""
    if chance in {0.0, 1.0, inf}:
        return f"{chance:.0f}"
    if chance < _TINY:
        return f"{chance:.1e}"
    nearest = min(chance, 1 - chance)
    return f"{chance:.{max(4, 1 - floor(log10(nearest)))}f}"
