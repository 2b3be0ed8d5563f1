"""What each format keeps of a file, as the table in docs/formats.md says."""

import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from noisyor.core import Network
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.core.warning import ConversionWarning
from noisyor.formats.parsed_network import to_network
from noisyor.formats.xmlbif import parse_xmlbif
from noisyor.interop.network_files import READABLE, WRITABLE, read_network, write_network
from tests.formats.test_xmlbif import WARD
from tests.formats.ward import assert_is_ward

FORMATS = Path(__file__).parents[2] / "docs" / "formats.md"
COLUMNS = ("read", "written", "causes", "order", "titles", "places", "comments")


def table() -> dict[str, dict[str, str]]:
    """Return the columns of the table by the first suffix of each format."""
    found = {}
    for line in FORMATS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) > len(COLUMNS) and cells[1].startswith("`."):
            suffix = cells[1].split("`")[1]
            found[suffix] = dict(zip(COLUMNS, cells[2:], strict=False))
    return found


TABLE = table()
BOTH = [suffix for suffix, cells in TABLE.items() if cells["read"] and cells["written"]]


def ward() -> Network:
    """Return the ward with a title, a place and a comment."""
    network = to_network(parse_xmlbif(WARD))
    nodes = {
        **network.appearance.nodes,
        "season": NodeAppearance(
            title="Time of year", order=(0, 1, 2), box=(60, 80, 136, 116), comment="of the visit"
        ),
    }
    return replace(network, appearance=Appearance(nodes=nodes))


def test_the_table_has_every_format_with_a_suffix() -> None:
    assert {one.suffixes[0] for one in (*READABLE, *WRITABLE) if one.suffixes} == set(TABLE)
    assert {one.suffixes[0] for one in READABLE} == {
        suffix for suffix, cells in TABLE.items() if cells["read"]
    }
    assert {one.suffixes[0] for one in WRITABLE if one.suffixes} == {
        suffix for suffix, cells in TABLE.items() if cells["written"]
    }
    assert len(BOTH) == 8


@pytest.mark.parametrize("suffix", BOTH)
def test_what_the_table_says_is_kept_is_kept_and_no_more(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"ward{suffix}"
    turned = pytest.warns(ConversionWarning, match="it is not the first state .* for 'flu' .no.")
    with turned if suffix == ".uai" else nullcontext():
        write_network(ward(), path)
    back = read_network(path)
    if suffix == ".uai":
        assert back.names == ("x0", "x1", "x2")
    else:
        assert_is_ward(back)
    cells, season = TABLE[suffix], back.appearance.of("season")
    assert bool(cells["order"]) == (suffix != ".uai")
    assert (season.title == "Time of year") == bool(cells["titles"])
    assert (season.comment == "of the visit") == bool(cells["comments"])
    assert (season.box is not None) == bool(cells["places"])
    if season.box is not None:
        left, top, right, bottom = season.box
        assert ((left + right) / 2, (top + bottom) / 2) == (98, 98)
