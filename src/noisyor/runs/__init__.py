"""A run of learning: its estimate, progress, folder and result."""
