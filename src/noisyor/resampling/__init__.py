"""How far a result on one table can be believed: resampled tables, held-out records, calibration.

`bootstrap` learns from resampled tables and counts arcs, `comparison` predicts held-out records
with several scores and sets of relations, and `calibration` fits the temperature of the weights.
"""
