"""The XML of questions and answers. All of it comes from outside, so defusedxml reads it."""

from crowd.marketplace.questions.answer_key import AnswerKey, check_fits, read_answer_key, score
from crowd.marketplace.questions.answers import ANSWERS, read_answers, write_answer
from crowd.marketplace.questions.external import is_framable
from crowd.marketplace.questions.filled_forms import (
    File,
    FilledAnswer,
    find_problems,
    name_of_file,
    read_given,
    write_given,
)
from crowd.marketplace.questions.form import MOST_FILES, Form, read_form
from crowd.marketplace.questions.form_answers import LARGEST_FILE
from crowd.marketplace.questions.form_page import form_context
from crowd.marketplace.questions.html import html_of, map_addresses, render_layout
from crowd.marketplace.questions.question_kinds import read_question
from crowd.marketplace.questions.xml_parsing import MAX_BYTES, SCHEMAS, Question

__all__ = [
    "ANSWERS",
    "LARGEST_FILE",
    "MAX_BYTES",
    "MOST_FILES",
    "SCHEMAS",
    "AnswerKey",
    "File",
    "FilledAnswer",
    "Form",
    "Question",
    "check_fits",
    "find_problems",
    "form_context",
    "html_of",
    "is_framable",
    "map_addresses",
    "name_of_file",
    "read_answer_key",
    "read_answers",
    "read_form",
    "read_given",
    "read_question",
    "render_layout",
    "score",
    "write_answer",
    "write_given",
]
