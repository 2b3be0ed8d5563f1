"""The command that queries a network."""

from collections.abc import Iterable
from decimal import Decimal
from math import exp, floor, inf, isfinite, log10
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.model_options import ModelOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import (
    JsonOption,
    ModelArgument,
    memory_bytes,
)
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import Network, NetworkError, NetworkSet, SettingsError
from noisyor.formats.tables_of import labels_in_file
from noisyor.inference import (
    AveragedPosteriors,
    Finding,
    Inference,
    MostProbable,
    Posteriors,
    average,
)
from noisyor.inference.answers import shown_order
from noisyor.inference.evidence import Given, finding_text, findings_text
from noisyor.inference.questions import MOST_BYTES

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
        help="What was observed, several separated by commas; may be repeated. Where the state is "
        "uncertain, a likelihood for each state: NAME=low:0.2|mid:1|high:0.5.",
    ),
]
MostProbableOption = Annotated[
    bool,
    typer.Option("--most-probable", help="The most probable states of all variables together."),
]


QueryMemoryOption = Annotated[
    float | None,
    typer.Option(
        "--memory-limit",
        metavar="GIB",
        help="The most memory for the tables of a query. Default: 2.",
    ),
]

_TINY = 1e-9
"""Probabilities below this are written with an exponent."""


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "query",
        epilog="Examples:\n\nnoisyor query clinic.json flu --given fever=yes,cough=no\n\n"
        "noisyor query clinic.json flu --given 'fever=yes:0.9|no:0.2'\n\n"
        "noisyor query clinic.xdsl --most-probable --given fever=yes --json",
    )(query)


@grouped
def query(
    model: ModelArgument,
    targets: TargetsArgument = None,
    *,
    given: GivenOption = None,
    most_probable: MostProbableOption = False,
    stored: ModelOptions,
    memory_limit: QueryMemoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the probabilities of the states of variables, given what was observed.

    The answer is exact. For a credible set, it is averaged over the networks.
    """
    asked = stored.model(model)
    evidence = observations(given, asked)
    limit = query_memory(memory_limit)
    if most_probable:
        if isinstance(asked, NetworkSet) or targets:
            raise SettingsError(
                "--most-probable gives all variables of one network: name no targets, and a file "
                "with a single network"
            )
        found = Inference(asked, most_bytes=limit).most_probable(evidence)
        _print_most_probable(found, as_json=as_json)
    elif isinstance(asked, NetworkSet):
        means = average(asked, targets or None, evidence, most_bytes=limit)
        _print_averages(means, as_json=as_json)
    else:
        answer = Inference(asked, most_bytes=limit).posteriors(targets or None, evidence)
        _print_posteriors(answer, asked, as_json=as_json)


def query_memory(gibibytes: float | None) -> int:
    """Return the bytes that --memory-limit allows the tables of a query."""
    given = memory_bytes(gibibytes)
    return MOST_BYTES if given is None else max(given, 1)


def observations(given: Iterable[str] | None, model: Network | NetworkSet) -> dict[str, Finding]:
    """Return what was observed, from texts like `a=yes,b=no`.

    A text that is a variable, `=` and one of its states, or a variable up to its last `=`, is one
    observation: names and states may contain commas and `=`. Otherwise, commas separate. A text
    such as `a=yes:0.9|no:0.2` is soft evidence.
    """
    found: dict[str, Finding] = {}
    for text in given or ():
        whole = text.rpartition("=")[0] in model.names or _is_observation(text.strip(), model)
        for part in [text] if whole else text.split(","):
            name, state = _name_and_state(part.strip(), model)
            if not (name and state):
                raise NetworkError(f"--given has {part!r}; it must look like NAME=STATE")
            finding = _finding(name, state, model)
            if found.setdefault(name, finding) != finding:
                raise NetworkError(
                    f"--given says that {name!r} is {found[name]!r} and that it is {finding!r}"
                )
    return found


def _finding(name: str, text: str, model: Network | NetworkSet) -> Finding:
    """Return the state, or the likelihoods of `low:0.2|mid:1` if no state is called so."""
    if ":" not in text or name not in model.names or _has_state(name, text, model):
        return text
    likelihoods: dict[str, float] = {}
    for part in text.split("|"):
        label, _, number = part.rpartition(":")
        label = label if _has_state(name, label, model) else label.strip()
        try:
            likelihood = float(number)
        except ValueError:
            raise NetworkError(
                f"--given has {part!r} for {name!r}; a likelihood looks like STATE:NUMBER, "
                "several separated by |"
            ) from None
        if label in likelihoods:
            raise NetworkError(f"--given has two likelihoods for {name}={label}")
        likelihoods[label] = likelihood
    return likelihoods


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


def _print_posteriors(answer: Posteriors, network: Network, *, as_json: bool) -> None:
    """Print the probabilities, states in the order of the file that the network was read from."""
    found = {
        name: {label: answer[name][label] for label in labels_in_file(network, network.index(name))}
        for name in answer
    }
    if as_json:
        print_json(
            {
                "given": dict(answer.given),
                "evidence_probability": answer.evidence_probability,
                "log_evidence": answer.log_evidence,
                "posteriors": found,
            }
        )
        return
    _print_evidence(answer.given, answer.log_evidence)
    table = Table("variable", "state")
    table.add_column("probability", justify="right")
    for name, chances in found.items():
        for place, (state, chance) in enumerate(chances.items()):
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
        console.print(f"given {findings_text(answer.given)}")
    drawn = "" if answer.standard_error is None else " drawn"
    console.print(answer.over)
    table = Table("variable", "state")
    for head in ("mean", "least", "most", *([] if not drawn else ["standard error"])):
        table.add_column(head, justify="right")
    columns = [answer.chances, answer.lowest, answer.highest]
    if answer.standard_error is not None:
        columns.append(answer.standard_error)
    for place, name in enumerate(answer.names):
        labels = answer.states[place]
        for row, state in enumerate(shown_order(labels)):
            cells = (probability(float(column[place][state])) for column in columns)
            table.add_row("" if row else name, labels[state], *cells)
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
                for state in shown_order(answer.states[place])
            }
            for place, name in enumerate(answer.names)
        },
    }


def _state_summary(answer: AveragedPosteriors, place: int, state: int) -> dict[str, object]:
    errors = answer.standard_error
    return {
        "mean": float(answer.chances[place][state]),
        "least": float(answer.lowest[place][state]),
        "most": float(answer.highest[place][state]),
        "quantiles": {
            str(level): float(row[state])
            for level, row in zip(answer.levels, answer.quantiles[place], strict=True)
        },
        "standard_error": _finite(None if errors is None else errors[place][state]),
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
        finding = observed.get(name, "")
        table.add_row(name, state, "yes" if finding == state else finding_text(finding))
    console.print(table)


def _print_evidence(given: Given, log_chance: float) -> None:
    if given:
        soft = any(not isinstance(finding, str) for _, finding in given)
        what = "expected likelihood" if soft else "probability"
        results().print(f"given {findings_text(given)} ({what} {_of_logarithm(log_chance)})")


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
