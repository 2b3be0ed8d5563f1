"""Random problems, each solved in every way there is: the ways must agree; see __main__."""
