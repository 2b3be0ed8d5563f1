"""The members of a credible set: counted, listed and drawn."""
