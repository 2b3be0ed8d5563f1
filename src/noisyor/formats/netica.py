"""Netica's .dne files, in and out: nodes with states, parents, tables and places in a drawing.

    // ~->[DNET-1]->~
    bnet clinic {
    node cough {
        kind = NATURE;
        discrete = TRUE;
        states = (yes, no);
        parents = (flu, cold);
        probs =
            // yes  no        // flu  cold
            (((0.9, 0.1),     // yes  yes
              ...
        title = "A cough";
        visual V1 { center = (120, 80); };
        };
    };

In the numbers, the first parent varies slowest and the child fastest; the brackets of inner lists
may be left out, as old versions do. A deterministic node has a `functable` instead: for each
configuration the name of a state, `#` and its number, or a value: one of the `levels`, or between
two of them if the node is continuous, whose states are the intervals between its levels.
Inheritance between nodes is not read.

Names of nodes and states have up to 30 letters, digits and underscores in Netica. Any other name is
replaced by one, the title shows the original, and user fields of the node keep it, escaped (see
`legal_names`), with the state that means present where neither its position nor its name shows it.
Costs, the origin and unseen configurations are not kept.
"""

from noisyor.formats.netica_reading import parse_netica
from noisyor.formats.netica_writing import netica_text

__all__ = ["netica_text", "parse_netica"]
