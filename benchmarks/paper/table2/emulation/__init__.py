"""An emulation of the code published with the paper: what its departures do to table 2."""
