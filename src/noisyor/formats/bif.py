"""BIF files, the text format of the Bayesian network repository, in and out.

    network unknown {
    }
    variable flu {
      type discrete [ 2 ] { yes, no };
    }
    probability ( flu ) {
      table 0.1, 0.9;
    }
    probability ( cough | flu, cold ) {
      (yes, yes) 0.9, 0.1;
      ...
    }

Reading follows the Interchange Format (version 0.15) where programs differ. After `table`, a node
with parents has its numbers in counting order of the variables in the header, the last one
varying fastest: so the child varies slowest. pgmpy and pyAgrum agree; bnlearn does not read such a
table. Commas are optional where the number of items makes the meaning clear. A name or label may be
quoted, or be several words. `default` gives the missing rows.

Writing uses the subset that bnlearn, pgmpy and pyAgrum all read: words of letters, digits and
underscores that are not keywords, one statement per line, comments only to the end of the line.
What does not fit is kept in properties, escaped (see `legal_names`), and restored on reading:

- of a variable, `noisyor_name`, and `noisyor_state_` with the word in the file, hold the originals,
  `noisyor_title` what another program displays, and `noisyor_present` the state that means present
  where neither its position nor its name shows it;
- of the network, `noisyor_title`, if it is not the network's name in the file, `noisyor_cost`,
  `noisyor_version`, `noisyor_data`, `noisyor_records`, and for each setting `noisyor_setting`;
- a row that no record had ends in the comment `// noisyor: unseen`, so that a program that
  writes rows in another order cannot leave the mark on the wrong one.

The present state's probability comes back exactly; pyAgrum reads it as a 32-bit number.
"""

from noisyor.formats.bif_reading import parse_bif
from noisyor.formats.bif_writing import bif_text

__all__ = ["bif_text", "parse_bif"]
