"""When relations pay: leaks, strengths and prevalences of causes, and models that are wrong."""
