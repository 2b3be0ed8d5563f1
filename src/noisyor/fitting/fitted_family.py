"""A family with its parameters and their certificate."""

from dataclasses import dataclass

from noisyor.core import Distribution, Family, FitCertificate


@dataclass(frozen=True, slots=True, eq=False)
class FittedFamily:
    """A family, its fitted distribution, and a certificate of the fit.

    `converged` is whether the fitter reached its tolerance; the certificate holds either way.
    `iterations` counts the fitter's steps, 0 for a closed form.
    """

    family: Family
    distribution: Distribution
    certificate: FitCertificate
    converged: bool
    iterations: int

    def __post_init__(self) -> None:
        """Refuse parameters of another family."""
        shape = (self.distribution.parent_count, self.distribution.relation)
        if shape != (self.family.parent_count, self.family.relation):
            raise ValueError(f"these are not the parameters of {self.family}")

    @property
    def cost(self) -> float:
        """The cost that the parameters attain: negative log-likelihood plus penalty, in nats."""
        return self.certificate.cost
