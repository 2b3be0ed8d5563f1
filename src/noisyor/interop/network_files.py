"""Networks in files: the format for each file name, and what each format supports."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from noisyor.core import (
    FormatError,
    Network,
    NetworkSet,
    SettingsError,
)
from noisyor.core.arguments import checked_arguments
from noisyor.core.errors import errors_at
from noisyor.core.relation_looks import look_of
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.files.unpacked import GZIP, unpacked_bytes, without_gzip
from noisyor.files.whole import check_target, write_whole
from noisyor.formats.network_json import network_json, parse_json
from noisyor.formats.network_set_json import network_set_json
from noisyor.formats.parsed_network import ParsedNetwork, to_network
from noisyor.formats.text_encoding import decoded, encoded


class Parser(Protocol):
    """Turns the text of a file into a parsed network; `forgiving` accepts some faulty files."""

    def __call__(self, text: str, *, forgiving: bool) -> ParsedNetwork:
        """Return the content of a file; a FormatError says what is wrong with it, and where."""


@dataclass(frozen=True, slots=True)
class NetworkFormat:
    """A file format: its name, suffixes and title, and the functions that write and read it."""

    name: str
    suffixes: tuple[str, ...]
    title: str
    write: Callable[[Network], bytes] | None = None
    parse: Parser | None = None

    def bytes_of(self, network: Network) -> bytes:
        """Return the content of a file with the network."""
        if self.write is None:
            raise ValueError(f"{self.name} files are not written, which `format_of` refuses")
        return self.write(network)


def _text(write: Callable[[Network], str]) -> Callable[[Network], bytes]:
    def written(network: Network) -> bytes:
        return encoded(write(network))

    return written


def _written_by(module: str, name: str) -> Callable[[Network], bytes]:
    """Return what writes a format as text, whose module is loaded when it is used."""

    def write(network: Network) -> bytes:
        return encoded(getattr(import_module(f"noisyor.{module}"), name)(network))

    return write


def _parsed_by(module: str, name: str) -> Parser:
    """Return what reads a format, whose module is loaded when it is used."""

    def parse(text: str, *, forgiving: bool) -> ParsedNetwork:
        read = getattr(import_module(f"noisyor.{module}"), name)
        parsed: ParsedNetwork = read(text, forgiving=forgiving)
        return parsed

    return parse


def _jgum(network: Network) -> bytes:
    from noisyor.interop.jgum import jgum_bytes  # noqa: PLC0415  (slow, seldom used)

    return jgum_bytes(network)


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
        warn_user(
            f"a model string holds the graph alone: not kept are the {' and '.join(kinds)} of "
            f"{', '.join(lost)}",
            ConversionWarning,
        )
    from noisyor.formats.model_string import model_string  # noqa: PLC0415  (seldom used)

    return model_string(network) + "\n"


JSON = NetworkFormat("json", (".json",), "noisyor's own, lossless", _text(network_json))
FORMATS = (
    JSON,
    NetworkFormat(
        "xdsl",
        (".xdsl",),
        "GeNIe, with noisy-ORs",
        _written_by("formats.xdsl", "xdsl_text"),
        _parsed_by("formats.xdsl", "parse_xdsl"),
    ),
    NetworkFormat(
        "dsl",
        (".dsl",),
        "old versions of GeNIe",
        parse=_parsed_by("formats.dsl_reading", "parse_dsl"),
    ),
    NetworkFormat(
        "bif",
        (".bif",),
        "bnlearn, pgmpy, pyAgrum",
        _written_by("formats.bif", "bif_text"),
        _parsed_by("formats.bif", "parse_bif"),
    ),
    NetworkFormat(
        "xmlbif",
        (".xmlbif", ".bifxml", ".xml"),
        "JavaBayes, Weka, GeNIe",
        _written_by("formats.xmlbif", "xmlbif_text"),
        _parsed_by("formats.xmlbif", "parse_xmlbif"),
    ),
    NetworkFormat(
        "net",
        (".net",),
        "Hugin",
        _written_by("formats.hugin", "hugin_text"),
        _parsed_by("formats.hugin", "parse_hugin"),
    ),
    NetworkFormat(
        "dne",
        (".dne",),
        "Netica",
        _written_by("formats.netica", "netica_text"),
        _parsed_by("formats.netica", "parse_netica"),
    ),
    NetworkFormat(
        "uai",
        (".uai",),
        "UAI competitions",
        _written_by("formats.uai", "uai_text"),
        _parsed_by("formats.uai", "parse_uai"),
    ),
    NetworkFormat(
        "jgum",
        (".jgum",),
        "pyAgrum, with noisy-ORs",
        _jgum,
        _parsed_by("interop.jgum_reading", "parse_jgum"),
    ),
    NetworkFormat(
        "dot",
        (".dot", ".gv"),
        "Graphviz, a picture",
        _written_by("formats.dot", "dot_text"),
    ),
    NetworkFormat(
        "graphml",
        (".graphml",),
        "graph programs",
        _written_by("formats.graphml", "graphml_text"),
    ),
    NetworkFormat(
        "netica",
        (),
        "Netica's equations",
        _written_by("formats.equations", "netica_equations"),
    ),
    NetworkFormat(
        "bayesialab",
        (),
        "BayesiaLab's equations",
        _written_by("formats.equations", "bayesialab_equations"),
    ),
    NetworkFormat("modelstring", (), "bnlearn's model string", _text(_model_line)),
)
"""All formats; those without a parser, except JSON, can only be written."""

READABLE = tuple(one for one in FORMATS if one is JSON or one.parse is not None)
WRITABLE = tuple(one for one in FORMATS if one.write is not None)


def format_of(path: Path, name: str | None = None) -> NetworkFormat:
    """Return the format to write with that name, or the one for the suffix of the file."""
    for one in FORMATS:
        if one.name == name or (name is None and _has_suffix(path, one)):
            if one.write is None:
                raise SettingsError(
                    f"{path}: {one.name} files can only be read; to write: {_suffixes(WRITABLE)}"
                )
            return one
    if name is not None:
        allowed = ", ".join(one.name for one in WRITABLE)
        raise SettingsError(f"there is no format {name!r}; allowed: {allowed}")
    raise SettingsError(
        f"{path} does not end like a file of a network; allowed, each also with {GZIP}: "
        f"{_suffixes(WRITABLE)}"
    )


@checked_arguments
def read_model(
    path: str | Path, *, present: Mapping[str, str] | None = None, forgiving: bool = False
) -> Network | NetworkSet:
    """Return the network in a file, or all networks of a credible set in a file of noisyor.

    Parameters
    ----------
    path
        A .json, .xdsl, .bif, .xmlbif, .net, .dne, .dsl, .uai or .jgum file, also compressed
        (.bif.gz); its suffix gives the format.
    present
        By variable, the state that means present, if neither the file nor its labels show it.
    forgiving
        Accept, with a ConversionWarning, rows that do not quite sum to 1, a BIF file with a
        missing or repeated row, and a Netica node without a table.
    """
    path = Path(path)
    chosen = _readable(path)
    content = unpacked_bytes(path)
    with errors_at(path):
        text = decoded(content, forgiving=forgiving)
        if chosen.parse is None:
            if present:
                raise SettingsError("a file of noisyor says itself which states mean present")
            return parse_json(text)
        return to_network(chosen.parse(text, forgiving=forgiving), present)


@checked_arguments
def read_network(
    path: str | Path, *, present: Mapping[str, str] | None = None, forgiving: bool = False
) -> Network:
    """Return the network in a file.

    Parameters
    ----------
    path
        A .json, .xdsl, .bif, .xmlbif, .net, .dne, .dsl, .uai or .jgum file, also compressed
        (.bif.gz); its suffix gives the format.
    present
        By variable, the state that means present, if neither the file nor its labels show it.
    forgiving
        Accept, with a ConversionWarning, rows that do not quite sum to 1, a BIF file with a
        missing or repeated row, and a Netica node without a table.
    """
    model = read_model(path, present=present, forgiving=forgiving)
    if isinstance(model, NetworkSet):
        raise FormatError(
            f"{path} holds {len(model)} networks of a credible set; a file of one network is needed"
        )
    return model


@checked_arguments
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
    content = format_of(path, format).bytes_of(network)
    if path.suffix.lower() == GZIP:
        content = gzip.compress(content, mtime=0)  # the same network, the same bytes
    write_whole({path: content})


@checked_arguments
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
    for one in FORMATS:
        if _has_suffix(path, one):
            if one in READABLE:
                return one
            raise SettingsError(
                f"{path}: {one.name} files can only be written; readable: {_suffixes(READABLE)}"
            )
    if path.is_dir():
        raise SettingsError(
            f"{path} is a folder; a file is needed. A folder that 'noisyor learn' has written has "
            f"its best network in {path / 'best.json'}, and all of them in "
            f"{path / 'networks.json'}"
        )
    raise SettingsError(
        f"{path} does not end like a file of a network; readable, each also with {GZIP}: "
        f"{_suffixes(READABLE)}"
    )


def _has_suffix(path: Path, one: NetworkFormat) -> bool:
    return without_gzip(path).suffix.lower() in one.suffixes


def _suffixes(formats: Sequence[NetworkFormat]) -> str:
    return ", ".join(suffix for one in formats for suffix in one.suffixes)
