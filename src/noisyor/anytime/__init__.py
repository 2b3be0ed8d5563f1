"""Learning that has a network from the first second on, and proves as much as time allows."""

from noisyor.anytime.run import NEAR_ONLY, Anytime, Outcome

__all__ = ["NEAR_ONLY", "Anytime", "Outcome"]
