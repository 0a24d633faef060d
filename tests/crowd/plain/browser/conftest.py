"""The real browser of the other browser tests, for this family."""

from tests.browser.conftest import _broker_in_memory, browser, open_page, visitor

__all__ = ["_broker_in_memory", "browser", "open_page", "visitor"]
