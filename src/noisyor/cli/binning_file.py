"""The bins of a table, written next to the output that was made from it."""

from pathlib import Path

from noisyor.cli.terminal import note
from noisyor.data.binning import Binning
from noisyor.files.whole import remove_files


def bins_beside(output: Path) -> Path:
    """Return the path of the bins that belong to an output: OUT.bins.json for OUT.parquet."""
    return output.with_suffix(".bins.json")


def write_bins(binning: Binning, output: Path) -> None:
    """Write the bins next to an output, if the table has any; else remove those of an earlier one.

    New data are read in the same bins with --bins and this file.
    """
    path = bins_beside(output)
    if binning == Binning():
        remove_files([path])
        return
    binning.save(path)
    note(f"wrote the bins of the numbers to {path}; --bins {path} reads new data the same way")
