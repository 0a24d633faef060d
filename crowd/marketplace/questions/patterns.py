"""Requesters' regular expressions, matched by RE2: its time grows with the text and never explodes.

Look-around and back-references, which RE2 cannot do in linear time, are refused when the HIT is made.
"""

import re
from functools import lru_cache
from typing import Any

import re2

from crowd.marketplace.questions.xml_parsing import invalid, shorten

LONGEST_PATTERN = 1000
MOST_MEMORY = 1 << 20
JAVA_CHARACTER = re.compile(r"\\u([0-9a-fA-F]{4})", re.ASCII)


def check_pattern(pattern: str, *, path: str) -> None:
    if len(pattern) > LONGEST_PATTERN:
        raise invalid(f"{path}: the regex is longer than {LONGEST_PATTERN} characters.")
    try:
        _compile(pattern, ignores_case=False)
    except re2.error as error:
        reason = b"".join(error.args).decode(errors="replace")
        raise invalid(
            f"{path}: the regex {shorten(pattern)!r} cannot be used: {shorten(reason)}. It is matched in "
            "linear time, so there is no look-around, no back-reference, and no repetition beyond 1000."
        ) from error


def is_found(pattern: str, text: str, *, ignores_case: bool) -> bool:
    """Whether the pattern occurs anywhere in the text, as in Amazon's service; ^ and $ anchor it."""
    return _compile(pattern, ignores_case=ignores_case).search(text) is not None


@lru_cache(maxsize=256)
def _compile(pattern: str, *, ignores_case: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    options.case_sensitive = not ignores_case
    return re2.compile(JAVA_CHARACTER.sub(r"\\x{\1}", pattern), options)
