"""The words on which the reader and the writer of Hugin's .net files agree."""

MARK = "noisyor_"
"""The prefix of the attributes that noisyor writes, and trusts when it reads them."""

NAME, TITLE = f"{MARK}name", f"{MARK}title"
STATE, PRESENT = f"{MARK}state_", f"{MARK}present"

NODE_SIZE = (80.0, 40.0)
"""The width and height of a node where a file does not tell, which is what Hugin writes."""
