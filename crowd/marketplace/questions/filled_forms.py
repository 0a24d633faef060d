"""A filled-in QuestionForm: the fields that the browser sent, their problems, and the resulting answer."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crowd.marketplace.questions.answers import printable, write_answers
from crowd.marketplace.questions.form import Form, FormQuestion
from crowd.marketplace.questions.form_answers import FileUpload, FreeText, Selection
from crowd.marketplace.questions.patterns import is_found

OTHER = "other"
NUMBER = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})", re.ASCII)
LONGEST_FILE_NAME = 128


@dataclass(frozen=True, kw_only=True)
class File:
    name: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class FilledAnswer:
    """The worker's answer to one question. `other` is None unless Other was chosen."""

    text: str = ""
    chosen: tuple[str, ...] = ()
    other: str | None = None
    file: File | None = None

    @property
    def count(self) -> int:
        return len(self.chosen) + (self.other is not None)

    @property
    def is_empty(self) -> bool:
        return not (self.text.strip() or self.count or self.file)


def field_of(number: int) -> str:
    """The name of a question's field: its place in the form, since identifiers may be any text."""
    return f"q{number}"


def read_given(
    form: Form, fields: Mapping[str, Sequence[str]], files: Mapping[str, File]
) -> dict[str, FilledAnswer]:
    """Read the answers by QuestionIdentifier. Fields that the form does not have are ignored."""
    return {
        question.identifier: _read_one(question.answer, field_of(number), fields, files)
        for number, question in enumerate(form.questions)
    }


def _read_one(
    answer: FreeText | Selection | FileUpload,
    field: str,
    fields: Mapping[str, Sequence[str]],
    files: Mapping[str, File],
) -> FilledAnswer:
    values = fields.get(field, ())
    if isinstance(answer, FreeText):
        return FilledAnswer(text=printable(values[0]) if values else "")
    if isinstance(answer, FileUpload):
        return FilledAnswer(file=files.get(field))
    chosen = tuple(choice.identifier for place, choice in enumerate(answer.choices) if str(place) in values)
    written = printable("".join(fields.get(f"{field}.{OTHER}", ())[:1]))
    # Text under Other counts, even if the box before it was not ticked.
    means_other = OTHER in values or (written.strip() and len(chosen) < answer.most)
    return FilledAnswer(chosen=chosen, other=written if answer.other is not None and means_other else None)


def find_problems(form: Form, given: Mapping[str, FilledAnswer]) -> dict[str, str]:
    """The problems that the worker must correct, by QuestionIdentifier; empty if the form is complete."""
    problems = {
        question.identifier: _problem(question, given.get(question.identifier, FilledAnswer()))
        for question in form.questions
    }
    return {identifier: problem for identifier, problem in problems.items() if problem}


def _problem(question: FormQuestion, given: FilledAnswer) -> str:
    if given.is_empty:
        return _("This question needs an answer.") if question.is_required else ""
    if isinstance(question.answer, FreeText):
        return _problem_of_text(question.answer, given.text)
    if isinstance(question.answer, Selection):
        return _problem_of_selection(question.answer, given)
    return _problem_of_file(question.answer, given.file)


def _problem_of_text(answer: FreeText, text: str) -> str:
    if answer.is_numeric and (problem := _problem_of_number(answer, text.strip())):
        return problem
    length = len(text.replace("\r\n", "\n"))
    if length < answer.shortest:
        return ngettext(
            "Write at least %(count)d character; these are %(length)d.",
            "Write at least %(count)d characters; these are %(length)d.",
            answer.shortest,
        ) % {"count": answer.shortest, "length": length}
    if answer.longest is not None and length > answer.longest:
        return ngettext(
            "Write at most %(count)d character; these are %(length)d.",
            "Write at most %(count)d characters; these are %(length)d.",
            answer.longest,
        ) % {"count": answer.longest, "length": length}
    for pattern in answer.patterns:
        if not is_found(pattern.regex, text, ignores_case=pattern.ignores_case):
            return pattern.error_text or _("The answer does not have the requested format.")
    return ""


def _problem_of_number(answer: FreeText, text: str) -> str:
    if not NUMBER.fullmatch(text):
        return _("Write a number, such as 12 or 3.5.")
    number = Decimal(text)
    if answer.least is not None and number < answer.least:
        return _("Write a number that is at least %(bound)s.") % {"bound": answer.least}
    if answer.greatest is not None and number > answer.greatest:
        return _("Write a number that is at most %(bound)s.") % {"bound": answer.greatest}
    return ""


def _problem_of_selection(answer: Selection, given: FilledAnswer) -> str:
    if given.count < answer.least:
        return _("Choose at least %(count)d.") % {"count": answer.least}
    if given.count > answer.most:
        return _("Choose at most %(count)d.") % {"count": answer.most}
    if answer.other is not None and given.other is not None:
        if not given.other.strip():
            return _("Write what you mean by “Other”.")
        return _problem_of_text(answer.other, given.other)
    return ""


def _problem_of_file(answer: FileUpload, file: File | None) -> str:
    size = len(file.content) if file else 0
    if size < answer.smallest:
        return _("Choose a file of at least %(size)s.") % {"size": filesizeformat(answer.smallest)}
    if size > answer.largest:
        return _("Choose a file of at most %(size)s.") % {"size": filesizeformat(answer.largest)}
    return ""


def write_given(form: Form, given: Mapping[str, FilledAnswer], *, key_prefix: str) -> str:
    """Write QuestionFormAnswers. Files are named by key and size; GetFileUploadURL gives their content."""
    return write_answers(
        (question.identifier, _elements(question, given[question.identifier], key_prefix=key_prefix))
        for question in form.questions
        if isinstance(question.answer, FreeText) or not given[question.identifier].is_empty
    )


def _elements(question: FormQuestion, given: FilledAnswer, *, key_prefix: str) -> Iterable[tuple[str, str]]:
    if isinstance(question.answer, FreeText):
        yield "FreeText", given.text
    for identifier in given.chosen:
        yield "SelectionIdentifier", identifier
    if given.other is not None:
        yield "OtherSelectionText", given.other
    if given.file:
        yield "UploadedFileKey", f"{key_prefix}/{question.identifier}/{given.file.name}"
        yield "UploadedFileSizeInBytes", str(len(given.file.content))


def name_of_file(name: str) -> str:
    """The last part of the browser's file name, without characters that a header or a disk might misread."""
    last = printable(name.replace("\\", "/").rpartition("/")[2])
    kept = "".join(c for c in last if c.isprintable() and c not in '"<>|:*?').strip(" .")
    return kept[-LONGEST_FILE_NAME:] or "file"
