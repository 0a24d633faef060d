"""The addresses that the worker's frame opens, and the rights of the pages in it."""

from crowd.marketplace.frames.addresses import (
    NOT_AVAILABLE,
    SUBMIT_PATH,
    content_origin,
    file_url,
    inspection_url,
    origin,
    preview_url,
    submit_to,
    test_submit_url,
    test_url,
    ticket,
    work_url,
)
from crowd.marketplace.frames.policies import guard_form, guard_html
from crowd.marketplace.frames.question_pages import show_preview, show_test, show_work

__all__ = [
    "NOT_AVAILABLE",
    "SUBMIT_PATH",
    "content_origin",
    "file_url",
    "guard_form",
    "guard_html",
    "inspection_url",
    "origin",
    "preview_url",
    "show_preview",
    "show_test",
    "show_work",
    "submit_to",
    "test_submit_url",
    "test_url",
    "ticket",
    "work_url",
]
