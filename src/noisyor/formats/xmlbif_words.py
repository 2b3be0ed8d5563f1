"""The words on which the reader and the writer of XMLBIF agree."""

MARK = "noisyor_"
"""The prefix of the properties that noisyor writes, and trusts when it reads them."""

NAME, TITLE = f"{MARK}name", f"{MARK}title"
STATE, PRESENT = f"{MARK}state_", f"{MARK}present"

HALF_SIZE = (38.0, 18.0)
"""Half the width and height of a node, of which a file has only the centre."""
