"""What the reader and the writer of BIF must agree on."""

KEYWORDS = frozenset(
    ("network", "variable", "probability", "property", "type", "discrete", "default", "table")
)

MARK = "noisyor_"
"""How the properties begin that noisyor writes, and believes when it reads them."""

NAME, STATE, PRESENT = f"{MARK}name", f"{MARK}state_", f"{MARK}present"
COST, VERSION, DATA = f"{MARK}cost", f"{MARK}version", f"{MARK}data"
RECORDS, SETTING = f"{MARK}records", f"{MARK}setting"

UNSEEN_COMMENT = "noisyor: unseen"
