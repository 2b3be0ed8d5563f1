"""The words on which the reader and the writer of BIF agree."""

KEYWORDS = frozenset(
    ("network", "variable", "probability", "property", "type", "discrete", "default", "table")
)

MARK = "noisyor_"
"""The prefix of the properties that noisyor writes, and trusts when it reads them."""

UNTITLED = "unknown"
"""The name of a network that has none."""

NAME, STATE, PRESENT = f"{MARK}name", f"{MARK}state_", f"{MARK}present"
TITLE = f"{MARK}title"
COST, VERSION, DATA = f"{MARK}cost", f"{MARK}version", f"{MARK}data"
RECORDS, SETTING = f"{MARK}records", f"{MARK}setting"

UNSEEN_COMMENT = "noisyor: unseen"
