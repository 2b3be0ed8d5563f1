"""The result of learning as an HTML page, and plots for papers."""

from noisyor.reporting.content import report_content
from noisyor.reporting.network_content import network_content
from noisyor.reporting.page import report_html

__all__ = ["network_content", "report_content", "report_html"]
