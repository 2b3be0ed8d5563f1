"""Noisy-ORs as equations to paste into Netica and BayesiaLab.

Both take the strengths, 1 - q, of the causes and of the leak (0 where there is none):

    NoisyOrDist (e, leak, b1, p1, ... bn, pn)    Netica
    NoisyOr(s, leak, c1, p1, ..., cn, pn)        BayesiaLab

and mean P(e) = 1 - (1 - leak) times the product of 1 - p of the causes that are true. The sources
are the vendors' manuals: for Netica its help on NoisyOrDist and on the syntax of equations
(norsys.com, WebHelp), for BayesiaLab its user guide on the discrete distributions and the types
of variables of a formula (bayesia.com). The equations have not been tried in either program.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal

from noisyor.core import Network
from noisyor.core.relation_looks import look_of
from noisyor.formats.legal_names import different_names, identifier_of
from noisyor.formats.or_causes import OrCauses, or_causes

_NETICA_LONGEST = 26  # of the 30 letters of a name: a number may have to follow
_NETICA_HEAD = """\
// Noisy-OR equations for Netica: one line for a node, to be pasted into that node alone.
// The nodes must be boolean, with the states true (what is present) and false (what is absent).
"""
_BAYESIALAB_HEAD = """\
// Noisy-OR formulas for BayesiaLab: one line for a node, to be pasted into its formula (return
// type: probabilistic). The nodes must be boolean, with the states True (what is present) and
// False (what is absent).
"""


def netica_equations(network: Network) -> str:
    """Return each noisy-OR as an equation of Netica, and a comment for each other node.

    A name in Netica has up to 30 letters, digits and underscores, and starts with a letter. Other
    names, those of more than 26 characters, and those that differ only in case are changed;
    comments at the top list them.
    """
    names = different_names(network.names, netica_name)

    def equation(child: str, parents: list[str], arguments: list[str]) -> str:
        return f"P ({child} | {', '.join(parents)}) = NoisyOrDist ({', '.join(arguments)})"

    return _NETICA_HEAD + _equations(network, names, names, equation)


def bayesialab_equations(network: Network) -> str:
    """Return each noisy-OR as a formula of BayesiaLab, and a comment for each other node.

    A formula has names between question marks. Names that contain one or an unprintable
    character, and those that differ only in case, are changed; comments at the top list them.
    """
    names = different_names(network.names, _bayesialab_name)

    def formula(child: str, parents: list[str], arguments: list[str]) -> str:
        return f"// P({child} | {', '.join(parents)}) =\nNoisyOr({', '.join(arguments)})"

    quoted = [f"?{name}?" for name in names]
    return _BAYESIALAB_HEAD + _equations(network, names, quoted, formula)


def _equations(
    network: Network,
    names: Sequence[str],
    references: Sequence[str],
    equation: Callable[[str, list[str], list[str]], str],
) -> str:
    """Return what follows the heading: the changed names, and one paragraph per node."""
    lines = [
        f"// {new} stands for {old!r}"
        for old, new in zip(network.names, names, strict=True)
        if old != new
    ]
    lines.append("")
    for family, distribution in zip(network.structure.families, network.distributions, strict=True):
        parents = [references[parent] for parent in family.parent_indices()]
        child = references[family.child]
        causes = or_causes(distribution)
        if causes is None:
            given = f" given {', '.join(parents)}" if parents else ""
            kind = look_of(distribution.relation).label_for(distribution.child_states)
            why = "not a noisy-OR"
            if distribution.relation.is_noisy_or:
                why = "but not all of its variables have two states"
            lines.append(f"// {child}{given} is a {kind}, {why}: it has no equation")
        else:
            lines.append(equation(child, parents, _arguments(child, parents, causes)))
    return "\n".join(lines) + "\n"


def _arguments(child: str, parents: Sequence[str], causes: OrCauses) -> list[str]:
    arguments = [child, _decimal(causes.leak)]
    for parent, strength in zip(parents, causes.strengths, strict=True):
        arguments += [parent, _decimal(strength)]
    return arguments


def _decimal(number: float) -> str:
    """Return all digits of a number, without an exponent, which not every program reads."""
    return f"{Decimal(repr(float(number))):f}"


def netica_name(text: str) -> str:
    """Return a name that Netica accepts, which may still get a number at its end."""
    identifier = identifier_of(text)
    if identifier.startswith("_"):
        identifier = f"x{identifier}"
    return identifier[:_NETICA_LONGEST]


def _bayesialab_name(text: str) -> str:
    return "".join(one if one.isprintable() and one != "?" else "_" for one in text)
