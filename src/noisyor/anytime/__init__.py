"""Learning that has a network from the first second on, and proves as much as time allows."""

from noisyor.anytime.run import Anytime, Outcome

__all__ = ["Anytime", "Outcome"]
