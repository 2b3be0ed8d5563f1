"""Recovery of networks of up to 200 variables, and where proofs of optimality stop."""
