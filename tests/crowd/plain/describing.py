"""Descriptions of pages with which tests begin."""

WHOLE = """\
# What every kind looks like.
title: Two pictures of one thing
about: Look at the picture first.
about: Then answer.
keep: Source, id

picture: image
say: The caption: {{ caption }}

choice: natural
ask: Is “{{ caption }}” natural?
- yes = Yes
- no = No
- unsure = I cannot tell

choices: faults
ask: What is wrong with it?
help: Tick all that apply.
optional
- grammar
- spelling = The spelling of {{ caption }}

scale: sure
ask: How sure are you?
from: 1 = Not at all
to: 5 = Very

number: people
ask: How many people do you see?
least: 0
most: 50
whole

text: why
ask: Why?
longest: 20
optional
"""
SHORT = """\
title: Is it natural?
say: {{ sentence }}
choice: natural
ask: Is this natural?
- yes = Yes
- no = No
"""
ALONE = """\
title: How was it?
scale: fun
ask: How much fun was it?
from: 1
to: 3
"""
