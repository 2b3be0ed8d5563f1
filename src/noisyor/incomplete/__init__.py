"""Records with gaps: structural EM, imputation, and where cells are missing."""
