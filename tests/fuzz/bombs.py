"""Write into the corpus small files that expand to more memory than a reader may use.

    python -m tests.fuzz.bombs

Each is valid in its format: a compressed column that repeats one value millions of times. Gzip
bombs are made by `test_bombs`, since they are small only in relation to what they unpack to.
"""

import io

import numpy as np
import polars as pl

from noisyor.formats.member_files import METADATA_KEY as MEMBERS_KEY
from noisyor.formats.score_parquet import METADATA_KEY as SCORES_KEY
from tests.fuzz.corpus import AS_WRITTEN, inputs_for, keep

TITLE = "a bomb"
BOMBS = ("parquet", "arrow", "scores", "members")
_ROWS = 2**25
_ONE_GROUP = 2**31


def main() -> None:
    """Write all bombs; this takes some gigabytes of memory."""
    zeros = pl.Series("0", np.zeros(_ROWS, dtype=np.int64))
    table = pl.DataFrame([zeros.alias(f"{column}") for column in range(5)])
    keep("parquet", TITLE, _parquet(table, {}))
    file = io.BytesIO()
    table.write_ipc(file, compression="zstd", record_batch_size=_ONE_GROUP)
    keep("arrow", TITLE, file.getvalue())
    for reader, key in {"scores": SCORES_KEY, "members": MEMBERS_KEY}.items():
        written = inputs_for(reader)[AS_WRITTEN]
        first = pl.read_parquet(io.BytesIO(written)).head(1)
        grown = pl.concat([first.select(pl.all().gather([0] * 2**20))] * (2 * _ROWS // 2**20))
        metadata = pl.read_parquet_metadata(io.BytesIO(written))[key]
        keep(reader, TITLE, _parquet(grown.rechunk(), {key: metadata}))


def _parquet(table: pl.DataFrame, metadata: dict[str, str]) -> bytes:
    file = io.BytesIO()
    table.write_parquet(
        file,
        compression="zstd",
        statistics=False,
        row_group_size=_ONE_GROUP,
        metadata=metadata,
    )
    return file.getvalue()


if __name__ == "__main__":
    main()
