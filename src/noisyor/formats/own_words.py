"""The words by which noisyor keeps in a file what its format cannot hold.

Hugin has them as attributes, XMLBIF as properties, and Netica as user fields of a node.
"""

MARK = "noisyor_"
"""The prefix of what noisyor writes, and trusts when it reads it."""

NAME, TITLE, COMMENT = f"{MARK}name", f"{MARK}title", f"{MARK}comment"
"""The name, the title and the comment of a variable, escaped (see `legal_names`)."""

STATE = f"{MARK}state_"
"""With a number, the label of a state, escaped."""

PRESENT = f"{MARK}present"
"""The state, as the file has it, that means present."""
