"""Read BIF files; `bif` describes the format."""

from collections.abc import Mapping
from math import isfinite

from noisyor.core import FormatError, Provenance
from noisyor.core.appearance import NodeAppearance
from noisyor.core.constraints import find_cycle
from noisyor.core.errors import errors_at
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import set_of
from noisyor.formats.bif_statements import (
    Groups,
    Probability,
    Properties,
    Variable,
    read_statements,
)
from noisyor.formats.bif_tables import Tables
from noisyor.formats.bif_words import (
    COST,
    DATA,
    NAME,
    PRESENT,
    RECORDS,
    STATE,
    TITLE,
    UNTITLED,
    VERSION,
)
from noisyor.formats.legal_names import unescaped
from noisyor.formats.parsed_network import ParsedNetwork, ParsedNode, present_at

_DIGITS_OF_A_COUNT = 18
_SHOWN = 40


def parse_bif(text: str, *, forgiving: bool = False) -> ParsedNetwork:
    """Return the network in a BIF file; a FormatError gives the line of an error.

    Some published files have two rows for one configuration and none for another. Other programs
    then take the last row, and zeros, which are not a distribution, for the missing one. Some files
    announce more states than they list. All this is an error here, unless `forgiving`. Then a
    single misplaced row is assigned to the configuration without a row. Otherwise the last row
    counts, and a configuration without a row is uniform and marked as unseen. The listed labels
    count. A ConversionWarning gives the place.
    """
    statements = read_statements(text, forgiving=forgiving)
    variables = statements.variables
    if not variables:
        raise FormatError("the file declares no variable")
    blocks: dict[str, tuple[Probability, list[str]]] = {}
    for block in statements.probabilities:
        child, parents = _header(block, variables)
        if child in blocks:
            raise FormatError(
                f"line {block.line}: there is a second probability block of {child!r:.{_SHOWN}}"
            )
        blocks[child] = block, parents
    for name, variable in variables.items():
        if name not in blocks:
            raise FormatError(
                f"line {variable.line}: the variable {name!r:.{_SHOWN}} has no probability block"
            )
    _refuse_cycles(variables, blocks)
    names = _names(variables)
    nodes, builder = [], Tables(forgiving=forgiving)
    for name, variable in variables.items():
        block, parents = blocks[name]
        table, unseen = builder.table(
            block, [variables[parent].states for parent in parents], variable
        )
        states, order = _states(variable)
        nodes.append(
            ParsedNode(
                names[name],
                states,
                tuple(names[parent] for parent in parents),
                table,
                f"line {block.line}",
                order,
                unseen,
                appearance=NodeAppearance(_original(variable.properties, TITLE, "") or None),
            )
        )
    builder.warn()
    name = statements.name.strip()
    return ParsedNetwork(
        tuple(nodes),
        _provenance(statements.properties),
        _cost(statements.properties),
        title=_original(statements.properties, TITLE, "" if name == UNTITLED else name) or None,
    )


def _header(block: Probability, variables: Mapping[str, Variable]) -> tuple[str, list[str]]:
    """Return the child and its parents: variables of the file, all different."""
    before, after = (_variables_in(groups, variables) for groups in (block.child, block.parents))
    if not before or (block.bar and len(before) > 1):
        raise FormatError(
            f"line {block.line}: a probability block is of one variable, not of {len(before)}"
        )
    child, *parents = [*before, *after]
    for name in (child, *parents):
        if name not in variables:
            raise FormatError(
                f"line {block.line}: {name!r:.{_SHOWN}} is not a variable of the file"
            )
    if child in parents:
        raise FormatError(f"line {block.line}: {child!r:.{_SHOWN}} is its own parent")
    if len(set(parents)) != len(parents):
        raise FormatError(f"line {block.line}: {child!r:.{_SHOWN}} has the same parent twice")
    return child, parents


def _variables_in(groups: Groups, variables: Mapping[str, Variable]) -> list[str]:
    """Return the names between commas if all are variables, else single words."""
    found = []
    for group in groups:
        whole = " ".join(group)
        found += [whole] if whole in variables else group
    return found


def _refuse_cycles(
    variables: Mapping[str, Variable], blocks: Mapping[str, tuple[Probability, list[str]]]
) -> None:
    names = list(variables)
    number = {name: place for place, name in enumerate(names)}
    cycle = find_cycle([set_of(number[parent] for parent in blocks[name][1]) for name in names])
    if cycle:
        path = " -> ".join(names[place] for place in (*cycle, cycle[0]))
        line = min(blocks[names[place]][0].line for place in cycle)
        raise FormatError(f"line {line}: the parents form a directed cycle: {path}")


def _names(variables: Mapping[str, Variable]) -> dict[str, str]:
    """Return the original names of the variables, by their names in the file."""
    names: dict[str, str] = {}
    for name, variable in variables.items():
        original = _original(variable.properties, NAME, name)
        if not original.strip() or original in names.values():
            raise FormatError(
                f"line {variable.line}: the name {original!r:.{_SHOWN}} is empty, or that of "
                "another variable too"
            )
        names[name] = original
    return names


def _states(variable: Variable) -> tuple[tuple[str, ...], tuple[int, ...] | None]:
    """Return the labels of the states, and their order if the file says which means present."""
    in_file, values = variable.states, variable.properties.values
    for key, (_, line) in values.items():
        if key.startswith(STATE) and key.removeprefix(STATE) not in in_file:
            raise FormatError(
                f"line {line}: the property {key!r:.{_SHOWN}} is of a state that "
                f"{variable.name!r:.{_SHOWN}} does not have"
            )
    states = tuple(_original(variable.properties, STATE + state, state) for state in in_file)
    if len(set(states)) != len(states):
        raise FormatError(
            f"line {variable.line}: two states of {variable.name!r:.{_SHOWN}} have the same label"
        )
    if PRESENT not in values:
        return states, None
    present = _original(variable.properties, PRESENT, "")
    if present not in in_file or len(in_file) != BINARY:
        raise FormatError(
            f"line {values[PRESENT][1]}: {variable.name!r:.{_SHOWN}} has no state "
            f"{present!r:.{_SHOWN}} to mean present"
        )
    return states, present_at(in_file.index(present))


def _original(properties: Properties, key: str, otherwise: str) -> str:
    if key not in properties.values:
        return otherwise
    value, line = properties.values[key]
    return _unescaped(value, line)


def _unescaped(value: str, line: int) -> str:
    with errors_at(f"line {line}"):
        return unescaped(value)


def _provenance(properties: Properties) -> Provenance:
    settings = []
    for text, line in properties.settings:
        name, comma, value = text.partition(",")
        if not comma:
            raise FormatError(f"line {line}: a setting is a name, a comma and a value")
        settings.append((_unescaped(name, line), _unescaped(value, line)))
    records = _original(properties, RECORDS, "0")
    if not (records.isascii() and records.isdigit() and len(records) <= _DIGITS_OF_A_COUNT):
        raise FormatError(
            f"line {properties.values[RECORDS][1]}: {records!r:.{_SHOWN}} is not a number of "
            "records"
        )
    return Provenance(
        _original(properties, VERSION, ""),
        _original(properties, DATA, ""),
        int(records),
        tuple(settings),
    )


def _cost(properties: Properties) -> float | None:
    if COST not in properties.values:
        return None
    text = _original(properties, COST, "")
    try:
        cost = float(text)
    except ValueError:
        cost = float("nan")
    if not isfinite(cost):
        raise FormatError(
            f"line {properties.values[COST][1]}: the cost {text!r:.{_SHOWN}} is not a finite number"
        )
    return cost
