"""The same jobs by noisyor and by other programs."""
