"""Networks in files: the format for each file name, and what each format supports."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from noisyor.core import (
    FormatError,
    Network,
    NetworkSet,
    SettingsError,
)
from noisyor.core.errors import errors_at
from noisyor.core.relation_looks import look_of
from noisyor.core.warning import ConversionWarning
from noisyor.files.content import bytes_in
from noisyor.files.whole import check_target, write_whole
from noisyor.formats.bif import bif_text, parse_bif
from noisyor.formats.dot import dot_text
from noisyor.formats.equations import bayesialab_equations, netica_equations
from noisyor.formats.graphml import graphml_text
from noisyor.formats.hugin import hugin_text
from noisyor.formats.model_string import model_string
from noisyor.formats.network_json import network_json, parse_json
from noisyor.formats.network_set_json import network_set_json
from noisyor.formats.parsed_network import ParsedNetwork, to_network
from noisyor.formats.text_encoding import decoded, encoded
from noisyor.formats.uai import uai_text
from noisyor.formats.xdsl import parse_xdsl, xdsl_text
from noisyor.interop.jgum import jgum_bytes

MOST_BYTES = 2**28
"""Larger files are not networks: the largest table that is read has a million entries."""


@dataclass(frozen=True, slots=True)
class NetworkFormat:
    """A file format: its name, suffixes and title, and the functions that write and read it."""

    name: str
    suffixes: tuple[str, ...]
    title: str
    write: Callable[[Network], bytes]
    parse: Callable[[str, bool], ParsedNetwork] | None = None


def _parse_bif(text: str, forgiving: bool) -> ParsedNetwork:
    return parse_bif(text, forgiving=forgiving)


def _parse_xdsl(text: str, forgiving: bool) -> ParsedNetwork:
    del forgiving  # no XDSL file is known that needs it
    return parse_xdsl(text)


def _text(write: Callable[[Network], str]) -> Callable[[Network], bytes]:
    def written(network: Network) -> bytes:
        return encoded(write(network))

    return written


def _model_line(network: Network) -> str:
    lost = [
        repr(name)
        for name, distribution in zip(network.names, network.distributions, strict=True)
        if not distribution.relation.closed_form
    ]
    if lost:
        kinds = dict.fromkeys(
            f"{look_of(one.relation).label_for(one.child_states)}s"
            for one in network.distributions
            if not one.relation.closed_form
        )
        warnings.warn(
            f"a model string holds the graph alone: not kept are the {' and '.join(kinds)} of "
            f"{', '.join(lost)}",
            ConversionWarning,
            stacklevel=4,
        )
    return model_string(network) + "\n"


JSON = NetworkFormat("json", (".json",), "noisyor's own, lossless", _text(network_json))
FORMATS = (
    JSON,
    NetworkFormat("xdsl", (".xdsl",), "GeNIe, with noisy-ORs", _text(xdsl_text), _parse_xdsl),
    NetworkFormat("bif", (".bif",), "bnlearn, pgmpy, pyAgrum", _text(bif_text), _parse_bif),
    NetworkFormat("net", (".net",), "Hugin", _text(hugin_text)),
    NetworkFormat("uai", (".uai",), "UAI competitions", _text(uai_text)),
    NetworkFormat("jgum", (".jgum",), "pyAgrum, with noisy-ORs", jgum_bytes),
    NetworkFormat("dot", (".dot", ".gv"), "Graphviz, a picture", _text(dot_text)),
    NetworkFormat("graphml", (".graphml",), "graph programs", _text(graphml_text)),
    NetworkFormat("netica", (), "Netica's equations", _text(netica_equations)),
    NetworkFormat("bayesialab", (), "BayesiaLab's equations", _text(bayesialab_equations)),
    NetworkFormat("modelstring", (), "bnlearn's model string", _text(_model_line)),
)
"""All formats; those without a parser, except JSON, can only be written."""

READABLE = tuple(one for one in FORMATS if one is JSON or one.parse is not None)


def format_of(path: Path, name: str | None = None) -> NetworkFormat:
    """Return the format with that name, or the one for the suffix of the file."""
    for one in FORMATS:
        if one.name == name or (name is None and path.suffix.lower() in one.suffixes):
            return one
    if name is not None:
        allowed = ", ".join(one.name for one in FORMATS)
        raise SettingsError(f"there is no format {name!r}; allowed: {allowed}")
    allowed = ", ".join(suffix for one in FORMATS for suffix in one.suffixes)
    raise SettingsError(f"{path} does not end like a file of a network; allowed: {allowed}")


def read_model(
    path: str | Path, *, present: Mapping[str, str] | None = None, forgiving: bool = False
) -> Network | NetworkSet:
    """Return the network in a file, or all networks of a credible set in a file of noisyor.

    Parameters
    ----------
    path
        A .json, .xdsl or .bif file; its suffix gives the format.
    present
        By variable, the state that means present, if neither the file nor its labels show it.
    forgiving
        Read a BIF file with a missing or repeated row, with a ConversionWarning.
    """
    path = Path(path)
    chosen = _readable(path)
    text = _read(path, forgiving=forgiving)
    with errors_at(path):
        if chosen.parse is None:
            if present:
                raise SettingsError("a file of noisyor says itself which states mean present")
            return parse_json(text)
        return to_network(chosen.parse(text, forgiving), present)


def read_network(
    path: str | Path, *, present: Mapping[str, str] | None = None, forgiving: bool = False
) -> Network:
    """Return the network in a file.

    Parameters
    ----------
    path
        A .json, .xdsl or .bif file; its suffix gives the format.
    present
        By variable, the state that means present, if neither the file nor its labels show it.
    forgiving
        Read a BIF file with a missing or repeated row, with a ConversionWarning.
    """
    model = read_model(path, present=present, forgiving=forgiving)
    if isinstance(model, NetworkSet):
        raise FormatError(
            f"{path} holds {len(model)} networks of a credible set; a file of one network is needed"
        )
    return model


def write_network(network: Network, path: str | Path, *, format: str | None = None) -> None:  # noqa: A002  (as in `read`)
    """Write a network to a file.

    Parameters
    ----------
    network
        The network; a ConversionWarning says what the format cannot keep.
    path
        The file, which appears whole or not at all.
    format
        The name of the format, such as `xdsl` or `dot`; by default, the suffix gives it.
    """
    path = Path(path)
    write_whole({path: format_of(path, format).write(network)})


def write_networks(networks: NetworkSet, path: str | Path) -> None:
    """Write the networks of a credible set to a file.

    Parameters
    ----------
    networks
        The networks, as `Learned.networks` returns them.
    path
        A .json file, which appears whole or not at all.
    """
    path = Path(path)
    check_networks_file(path)
    write_whole({path: network_set_json(networks).encode()})


def check_network_file(path: Path) -> None:
    """Refuse a file to which a network could not be written, before doing the work."""
    format_of(path)
    check_target(path)


def check_networks_file(path: Path) -> None:
    """Refuse a file to which a set of networks could not be written, before doing the work."""
    if path.suffix.lower() not in JSON.suffixes:
        raise SettingsError(f"{path} must end in .json, the only format that holds many networks")
    check_target(path)


def _readable(path: Path) -> NetworkFormat:
    allowed = ", ".join(suffix for one in READABLE for suffix in one.suffixes)
    for one in FORMATS:
        if path.suffix.lower() in one.suffixes:
            if one in READABLE:
                return one
            raise SettingsError(
                f"{path}: {one.name} files can only be written; readable: {allowed}"
            )
    raise SettingsError(f"{path} does not end like a file of a network; readable: {allowed}")


def _read(path: Path, *, forgiving: bool) -> str:
    content = bytes_in(path, MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise FormatError(f"{path} has more than {MOST_BYTES} bytes, the most allowed")
    with errors_at(path):
        return decoded(content, forgiving=forgiving)
