# The names of the package. `__init__.py` reads them here, and imports each when it is used.
from noisyor.formats.member_files import (
    StoredMembers,
    check_member_suffix,
    read_members,
    write_members,
)
from noisyor.formats.score_files import check_suffix, read_scores, write_scores

__all__ = [
    "StoredMembers",
    "check_member_suffix",
    "check_suffix",
    "read_members",
    "read_scores",
    "write_members",
    "write_scores",
]
