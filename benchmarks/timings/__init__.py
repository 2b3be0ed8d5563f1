"""Time and memory of the parts of noisyor."""
