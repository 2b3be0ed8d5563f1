"""Files in and out."""

from noisyor.formats.score_files import check_suffix, read_scores, write_scores

__all__ = ["check_suffix", "read_scores", "write_scores"]
