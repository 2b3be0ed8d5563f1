"""From the options of a command to the request that they make together."""

from noisyor.cli.learning_options import ComparisonOptions, KnowledgeOptions
from noisyor.cli.prior_options import PriorOptions
from noisyor.cli.table_options import LearningTableOptions
from noisyor.core import BayesFactor
from noisyor.core.request import Request
from noisyor.data.binning import Binning
from noisyor.data.constants import without_constants


def request_for(
    data: str,
    table: LearningTableOptions,
    compared: ComparisonOptions,
    background: KnowledgeOptions,
    beliefs: PriorOptions,
    *,
    jobs: int | None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
) -> tuple[Request, Binning]:
    """Return what is asked of the complete records of a table, and the bins of its numbers.

    What can be refused without the table is refused before it is read.
    """
    factor, score = BayesFactor(compared.bayes_factor), compared.chosen_score()
    relations, prior = compared.chosen_relations(), beliefs.stated()
    stated = background.stated()
    read, binning = table.read(data)
    known = stated.among(read.names)
    request = Request.of(
        without_constants(read, known, prior, keep_constants=table.keep_constants),
        factor,
        score=score,
        relations=relations,
        constraints=known,
        prior=prior,
        jobs=jobs,
        time_limit=time_limit,
        memory_limit=memory_limit,
    )
    return request, binning
