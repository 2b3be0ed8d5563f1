"""The result of learning as an HTML page, and plots for papers."""

from noisyor.reporting.content import report_content
from noisyor.reporting.page import report_html

__all__ = ["report_content", "report_html"]
