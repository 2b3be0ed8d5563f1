"""Hugin's .net files, in and out: nodes with named states, and potentials with lists of numbers.

    net
    {
        node_size = (80 40);
    }
    node flu
    {
        states = ( "yes" "no" );
        position = (120 80);
    }
    potential ( cough | flu cold )
    {
        data = ((( 0.9 0.1 ) ( 0.8 0.2 )) (( 0.7 0.3 ) ( 0.1 0.9 )));
    }

In the data, the first parent varies slowest and the child fastest. The brackets of inner lists may
be left out. The numbers are weights (Hugin itself writes `data = ( 1 1 )`): each row is divided by
its sum. A comment begins with a percent sign. A node without a potential, and a potential without
data, are uniform. A `class` with nodes in it is a network, too.

Names are C identifiers when written. Any other name is replaced by one; the node's label then shows
the name as far as a label can, and the attribute `noisyor_name` keeps it, escaped (see
`legal_names`). Likewise `noisyor_title` and `noisyor_comment` keep what a label or description
cannot show (see `hugin_labels`), and `noisyor_state_0` and so on a state label with anything but
letters, digits, single spaces and `_<>=+.:-`. `noisyor_present` is the state that means present,
where neither its position nor its name shows it. Costs, the origin and unseen configurations are
not kept.
"""

from noisyor.formats.hugin_reading import parse_hugin
from noisyor.formats.hugin_writing import hugin_text

__all__ = ["hugin_text", "parse_hugin"]
