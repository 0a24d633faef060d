"""An example of a page, in no data: it is shown where a study has described none."""

from crowd.plain.asking.shown_parts import ShownRow
from crowd.plain.domain.description_parser import read_page

PRACTICE = ShownRow(
    page=read_page(
        """\
title: Questions
about: This is an example. The questions of the HIT are its own.
say: “The cat sat on the mat.”
choice: natural
ask: Does this sentence sound natural?
- yes = Yes
- no = No
scale: sure
ask: How sure are you?
from: 1 = Not at all
to: 5 = Very
text: why
ask: Why?
optional
longest: 200
"""
    ).page
)
