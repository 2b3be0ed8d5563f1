"""The command that advises what to ask for next, and on which numbers an answer depends."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.model_options import ModelOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import (
    JsonOption,
    ModelArgument,
)
from noisyor.cli.query_command import (
    GivenOption,
    QueryMemoryOption,
    observations,
    probability,
    query_memory,
)
from noisyor.cli.terminal import print_json, results
from noisyor.core import Network, NetworkError, NetworkSet, SettingsError
from noisyor.core.number_states import in_state
from noisyor.core.variable import States
from noisyor.formats.tables_of import labels_in_file
from noisyor.inference import (
    Inference,
    ParameterSensitivity,
    Sensitivity,
    ValueOfInformation,
    sensitivity,
    value_of_information,
)
from noisyor.inference.answers import shown_order
from noisyor.inference.evidence import Given, findings_text

_SHOWN = 20
_BELOW = 5e-5  # what is printed as 0.0000 anyway

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="TARGET", help="The variable to learn about; NAME=STATE for --sensitivity."
    ),
]
FindingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--findings",
        metavar="NAME,...",
        help="What can be asked, several separated by commas; may be repeated. Default: all other "
        "variables that were not observed.",
    ),
]
CostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cost",
        metavar="NAME=COST",
        help="What it costs to ask for a finding; the others cost 1. The list is then ranked by "
        "the expected drop of entropy per cost. May be repeated.",
    ),
]
SensitivityOption = Annotated[
    bool,
    typer.Option(
        "--sensitivity",
        help="Instead, the numbers of the network on which the probability of TARGET depends most.",
    ),
]
MostOption = Annotated[
    int, typer.Option("--most", metavar="N", help="The most lines of the list; 0 for all.")
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "advise",
        epilog="Examples:\n\nnoisyor advise clinic.json flu --given fever=yes "
        "--findings cough,headache --cost headache=3\n\n"
        "noisyor advise clinic.json flu=yes --given fever=yes --sensitivity",
    )(advise)


@grouped
def advise(
    model: ModelArgument,
    target: TargetArgument,
    *,
    given: GivenOption = None,
    findings: FindingsOption = None,
    cost: CostOption = None,
    by_parameter: SensitivityOption = False,
    most: MostOption = _SHOWN,
    stored: ModelOptions,
    memory_limit: QueryMemoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank findings by how informative they are, or numbers by how much an answer depends on them.

    A finding is worth the expected drop of the target's entropy, computed exactly. For a credible
    set, probabilities are averaged over the networks.
    """
    if most < 0:
        raise SettingsError(f"--most is {most}; it must be 0, for all, or more")
    asked = stored.model(model)
    evidence = observations(given, asked)
    limit = query_memory(memory_limit)
    if by_parameter:
        if isinstance(asked, NetworkSet) or findings or cost:
            raise SettingsError(
                "--sensitivity is about the numbers of one network: give a file with a single "
                "network, no --findings and no --cost"
            )
        name, state = _target_state(target, asked)
        inference = Inference(asked, most_bytes=limit)
        slopes = sensitivity(inference, name, state, evidence, most=most or None)
        _print_sensitivity(slopes, asked, as_json=as_json)
        return
    found = value_of_information(
        asked,
        target,
        _names(findings, asked.names),
        evidence,
        _costs(cost, asked.names),
        most_bytes=limit,
    )
    labels = _labels(asked, target)
    found = replace(found, chances={label: found.chances[label] for label in labels})
    _print_information(found, most or len(found.findings), as_json=as_json)


def _labels(asked: Network | NetworkSet, name: str) -> States:
    """Return the labels of a variable's states in the order in which a query shows them."""
    if isinstance(asked, Network):
        return labels_in_file(asked, asked.index(name))
    states = asked.states[asked.names.index(name)]
    return tuple(states[place] for place in shown_order(states))


def _names(given: Iterable[str] | None, names: Sequence[str]) -> list[str] | None:
    """Return the names in texts like `a,b`; a name may contain commas."""
    if given is None:
        return None
    return [
        part if part in names else part.strip()
        for text in given
        for part in ([text] if text in names else text.split(","))
    ]


def _costs(given: Iterable[str] | None, names: Sequence[str]) -> dict[str, float] | None:
    """Return the cost of each finding from texts like `a=3`, several separated by commas."""
    costs: dict[str, float] = {}
    for text in given or ():
        for part in [text] if text.rpartition("=")[0] in names else text.split(","):
            name, _, number = part.strip().rpartition("=")
            cost = _number(number)
            if not name or cost is None:
                raise SettingsError(f"--cost is {part!r}; it must look like NAME=COST")
            if costs.setdefault(name, cost) != cost:
                raise SettingsError(f"--cost is given twice for {name!r}")
    return costs or None


def _number(text: str) -> float | None:
    with suppress(ValueError):
        return float(text)
    return None


def _target_state(text: str, network: Network) -> tuple[str, str]:
    """Return the variable and its state in NAME=STATE; a binary variable alone is present."""
    if text in network.names:
        variable = network.variables[network.index(text)]
        if variable.is_binary:
            return text, variable.states[1]
        raise NetworkError(
            f"{text!r} has {variable.state_count} states ({', '.join(variable.states)}); say which "
            f"one, as in {text}={variable.states[0]}"
        )
    ((name, state),) = observations([text], network).items()
    if not isinstance(state, str):
        raise NetworkError(f"the target is {text!r}; it must look like NAME=STATE")
    return name, state


def _print_information(found: ValueOfInformation, most: int, *, as_json: bool) -> None:
    has_costs = any(one.cost is not None for one in found.findings)
    if as_json:
        print_json(
            {
                "target": found.target,
                "given": dict(found.given),
                "chances": dict(found.chances),
                "entropy": found.entropy,
                "findings": [
                    {
                        "name": one.name,
                        "drop": one.drop,
                        "share": one.share,
                        **({"cost": one.cost, "per_cost": one.per_cost} if has_costs else {}),
                    }
                    for one in found.findings[:most]
                ],
            }
        )
        return
    console = results()
    _print_given(found.given)
    chances = ", ".join(f"{state} {probability(one)}" for state, one in found.chances.items())
    console.print(f"{found.target}: {chances}; entropy {found.entropy:.4f} nats")
    table = Table("ask for")
    for head in ("expected drop", "share", *(("cost", "drop per cost") if has_costs else ())):
        table.add_column(head, justify="right")
    for one in found.findings[:most]:
        cells = [f"{one.drop:.4f}", f"{one.share:.1%}"]
        cells += [f"{one.cost:g}", f"{one.per_cost:.4f}"] if has_costs else []
        table.add_row(one.name, *cells)
    console.print(table)
    nothing = sum(one.drop < _BELOW for one in found.findings[:most])
    if nothing:
        says = "says" if nothing == 1 else "say"
        console.print(
            f"{nothing} of these {says} nothing, or next to nothing, about {found.target}"
        )


def _print_sensitivity(found: Sensitivity, network: Network, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "target": found.target,
                "state": found.state,
                "given": dict(found.given),
                "posterior": found.posterior,
                "parameters": [_parameter_summary(one) for one in found.parameters],
            }
        )
        return
    console = results()
    _print_given(found.given)
    asked = in_state(found.target, found.state)
    console.print(f"{asked} has the probability {probability(found.posterior)}")
    table = Table("variable", "given", "state")
    for head in ("value", "slope", "posterior at 0", "at 1"):
        table.add_column(head, justify="right")
    for one in found.parameters:
        family = network.structure.families[network.index(one.node)]
        where = ", ".join(in_state(name, state) for name, state in one.parents)
        if not where and family.relation.causes is not None:
            where = "(leak)"
        ends = [one.posterior_at(end) for end in (0.0, 1.0)]
        table.add_row(
            one.node,
            where,
            one.state,
            f"{one.value:.4f}",
            f"{one.derivative:+.4f}",
            *("impossible" if end is None else probability(end) for end in ends),
        )
    console.print(table)


def _parameter_summary(one: ParameterSensitivity) -> dict[str, object]:
    return {
        "node": one.node,
        "given": dict(one.parents),
        "state": one.state,
        "value": one.value,
        "derivative": one.derivative,
        "coefficients": list(one.coefficients),
        "posterior_at_0": one.posterior_at(0.0),
        "posterior_at_1": one.posterior_at(1.0),
    }


def _print_given(given: Given) -> None:
    if given:
        results().print(f"given {findings_text(given)}")
