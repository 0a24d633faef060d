"""Pages on which a study is set up as in a paper."""

from crowd.papers.admin import setup_pages

__all__ = ["setup_pages"]
