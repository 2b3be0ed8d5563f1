"""XMLBIF files, the XML interchange format (version 0.3) of JavaBayes, Weka, GeNIe and others.

    <BIF VERSION="0.3"><NETWORK><NAME>clinic</NAME>
      <VARIABLE TYPE="nature">
        <NAME>flu</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME>
        <PROPERTY>position = (120, 80)</PROPERTY>
      </VARIABLE>
      <DEFINITION>
        <FOR>cough</FOR><GIVEN>flu</GIVEN><GIVEN>cold</GIVEN>
        <TABLE>0.9 0.1 0.8 0.2 0.7 0.3 0.1 0.9</TABLE>
      </DEFINITION>

In a table the variable itself varies fastest, then the last of the given ones. A document type may
declare elements and attributes, but no entities: those could grow without bound.

Any text without control characters, and with single spaces between words, is written as it is. What
does not fit, a title, and which of two states means present (where neither its position nor its
name shows it) are kept in properties, escaped (see `legal_names`). Costs, the origin and unseen
configurations are not kept.
"""

from noisyor.formats.xmlbif_reading import parse_xmlbif
from noisyor.formats.xmlbif_writing import xmlbif_text

__all__ = ["parse_xmlbif", "xmlbif_text"]
