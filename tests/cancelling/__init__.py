"""Every command, cancelled at random moments."""
