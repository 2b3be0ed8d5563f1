"""What was learned, as a page to look at."""

from noisyor.reporting.content import report_content
from noisyor.reporting.page import report_html

__all__ = ["report_content", "report_html"]
