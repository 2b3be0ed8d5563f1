"""Good networks of many variables, in limited time, by noisyor and by other programs."""
