"""UAI files: a network as bare tables, for solvers of the UAI competitions.

The preamble `BAYES`, the number of variables, their numbers of states, the number of tables, and
per table its variables: the parents, ascending, and the child last. Then each table, its last
variable varying fastest. For a binary variable, state 0 is absent and state 1 present, as in
noisyor's own records, so evidence files hold the data's values. The format has no names, no costs
and no comments: variable v of the file is the network's v-th, and nothing else of the network is
kept.

If a node has several parents, pyAgrum (3.3) lets the first one vary faster than the last, when it
reads and when it writes, and pgmpy (1.1) lets the child vary slowest. The description of the format
says otherwise, so these programs read another network from such a file.
"""

from noisyor.core import Network
from noisyor.formats.tables_of import announce_tables, table_of


def uai_text(network: Network) -> str:
    """Return a network as the text of a UAI file, noisy-ORs written out as tables."""
    announce_tables(network, "UAI")
    count = len(network.names)
    lines = [
        "BAYES",
        str(count),
        " ".join(str(one.state_count) for one in network.variables),
        str(count),
    ]
    for family in network.structure.families:
        scope = (*family.parent_indices(), family.child)
        lines.append(" ".join(map(str, (len(scope), *scope))))
    for variable in range(count):
        table = table_of(network, variable)
        lines += ["", str(table.size)]
        for row in table.reshape(-1, table.shape[-1]).tolist():
            lines.append("".join(f" {chance!r}" for chance in row))
    return "\n".join(lines) + "\n"
