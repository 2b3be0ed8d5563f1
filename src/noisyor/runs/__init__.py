"""A run of learning: what it will take, its progress, its folder, and what it found."""
