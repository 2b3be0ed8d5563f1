"""Measurements of noisyor: how to make them, and the results that are stored."""
