"""Rows of an uploaded file: CSV, JSON Lines or a JSON list, whichever program wrote it.

Nothing here knows a database, a family or a room: the caller says which columns there are, how a cell of
each is read, and with which of its own errors a file is refused.
"""

from hits.common.uploads.cells import as_written, is_blank, read_number, read_text, text_within
from hits.common.uploads.columns import UploadedColumn, example_file, file_help
from hits.common.uploads.file_problems import MOST_PROBLEMS, Problems
from hits.common.uploads.row_reader import Row, read_uploaded
from hits.common.uploads.text_lines import whole_text

__all__ = [
    "MOST_PROBLEMS",
    "Problems",
    "Row",
    "UploadedColumn",
    "as_written",
    "example_file",
    "file_help",
    "is_blank",
    "read_number",
    "read_text",
    "read_uploaded",
    "text_within",
    "whole_text",
]
