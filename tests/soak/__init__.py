"""Random problems, each solved in every available way; the results must agree (see __main__)."""
