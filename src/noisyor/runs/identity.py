"""The data and settings that a resumed run must share with the one before."""

from noisyor.core.request import Request
from noisyor.formats.scope_json import constraints_to_json


def request_identity(request: Request) -> dict[str, object]:
    """Return the data and settings of a request as JSON types, without its limits."""
    return {
        "data": request.data.fingerprint(),
        "bayes_factor": request.factor.value,
        "temperature": request.factor.temperature,
        "score": request.score.name,
        "relations": [relation.name for relation in request.relations],
        "constraints": constraints_to_json(request.constraints),
        "prior": str(request.prior),
    }
