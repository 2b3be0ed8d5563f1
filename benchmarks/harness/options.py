"""Command-line options that several benchmarks have."""

import argparse
import os
from pathlib import Path

from benchmarks.harness.folders import DATASETS_FOLDER, NETWORKS_FOLDER


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the docstring of a module."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )


def add_datasets(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the data sets."""
    parser.add_argument("--datasets", type=Path, default=DATASETS_FOLDER)


def add_networks(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the ground-truth networks."""
    parser.add_argument("--networks", type=Path, default=NETWORKS_FOLDER)


def add_run_options(parser: argparse.ArgumentParser, names: tuple[str, ...], limit: float) -> None:
    """Add the options of every run over data sets: names, time limit, threads."""
    add_datasets(parser)
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--limit", type=float, default=limit)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
