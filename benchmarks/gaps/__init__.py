"""Learning from records with gaps: structural EM against simpler ways."""
