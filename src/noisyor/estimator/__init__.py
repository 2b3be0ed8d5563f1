"""A scikit-learn estimator; needs the extra `noisyor[sklearn]`."""

from noisyor.core import SettingsError

try:
    from noisyor.estimator.credible_network import CredibleNetwork
except ImportError as error:
    if (error.name or "").partition(".")[0] not in {"sklearn", "joblib"}:
        raise
    raise SettingsError(
        f"noisyor.estimator needs scikit-learn 1.6 or newer ({error}); `pip install "
        "noisyor[sklearn]` installs it"
    ) from error

__all__ = ["CredibleNetwork"]
