"""Where the repository, the stored results and the data are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS_FOLDER = ROOT / "benchmarks" / "results"
PAGES_FOLDER = ROOT / "docs" / "results"
IMAGES_FOLDER = ROOT / "docs" / "images" / "results"
SHARED_FOLDER = ROOT.parent / "shared"
DATASETS_FOLDER = SHARED_FOLDER / "datasets"
NETWORKS_FOLDER = SHARED_FOLDER / "networks"
PAPER_FOLDER = SHARED_FOLDER / "paper"
