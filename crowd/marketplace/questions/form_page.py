"""A QuestionForm as its template needs it: fields with names, hints, choices and problems."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from crowd.marketplace.questions.content import Block
from crowd.marketplace.questions.filled_forms import FilledAnswer, field_of
from crowd.marketplace.questions.form import Form, FormQuestion, Overview
from crowd.marketplace.questions.form_answers import FileUpload, FreeText, Selection

Widget = Literal["line", "lines", "menu", "options", "file"]
MENUS = ("dropdown", "list", "combobox")


@dataclass(frozen=True, kw_only=True)
class Option:
    value: str
    label: Block
    is_chosen: bool


@dataclass(frozen=True, kw_only=True)
class Part:
    """An overview, which has no field, or a question. `widget` says how the question is answered."""

    content: tuple[Block, ...]
    field: str = ""
    label: str = ""
    widget: Widget = "line"
    box: Literal["radio", "checkbox"] = "radio"
    is_required: bool = False
    is_numeric: bool = False
    lines: int = 1
    text: str = ""
    options: tuple[Option, ...] = ()
    has_other: bool = False
    other: str | None = None
    hints: tuple[str, ...] = ()
    problem: str = ""

    @property
    def described_by(self) -> str:
        """The ids of the texts that a screen reader reads out with the field."""
        parts = [f"{self.field}-content"]
        parts += [f"{self.field}-hints"] if self.hints else []
        parts += [f"{self.field}-problem"] if self.problem else []
        return " ".join(parts)


def form_context(
    form: Form,
    values: Mapping[str, FilledAnswer],
    problems: Mapping[str, str],
    action: str,
    preview: bool,
    *,
    title: str = "",
    hidden: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """Context of marketplace/content/form.html. `values` and `problems` are keyed by QuestionIdentifier."""
    parts = list(_parts(form, values, problems))
    return {
        "title": title or _("Questions"),
        "parts": parts,
        "problems": [part for part in parts if part.problem],
        "action": action,
        "is_preview": preview,
        "hidden": (hidden or {}).items(),
        "has_files": any(part.widget == "file" for part in parts),
    }


def _parts(form: Form, values: Mapping[str, FilledAnswer], problems: Mapping[str, str]) -> Iterator[Part]:
    number = 0
    for part in form.parts:
        if isinstance(part, Overview):
            yield Part(content=part.content)
            continue
        problem = problems.get(part.identifier, "")
        yield _question(part, number=number, given=values.get(part.identifier), problem=problem)
        number += 1


def _question(question: FormQuestion, *, number: int, given: FilledAnswer | None, problem: str) -> Part:
    part = Part(
        content=question.content,
        field=field_of(number),
        label=question.name or _("Question %(number)d") % {"number": number + 1},
        is_required=question.is_required,
        problem=problem,
    )
    answer = question.answer
    if isinstance(answer, FreeText):
        return _with_text(part, answer, given)
    if isinstance(answer, Selection):
        return _with_choices(part, answer, given or FilledAnswer())
    return replace(part, widget="file", hints=tuple(_file_hints(answer)))


def _with_text(part: Part, answer: FreeText, given: FilledAnswer | None) -> Part:
    return replace(
        part,
        widget="lines" if answer.lines > 1 else "line",
        lines=answer.lines,
        is_numeric=answer.is_numeric,
        text=answer.default if given is None else given.text,
        hints=tuple(_text_hints(answer)),
    )


def _with_choices(part: Part, answer: Selection, given: FilledAnswer) -> Part:
    options = tuple(
        Option(value=str(place), label=choice.label, is_chosen=choice.identifier in given.chosen)
        for place, choice in enumerate(answer.choices)
    )
    # A menu can show only texts.
    is_menu = answer.style in MENUS and answer.most == 1 and all(one.label.kind == "text" for one in options)
    has_boxes = answer.most > 1 or answer.style in ("checkbox", "multichooser")
    return replace(
        part,
        widget="menu" if is_menu else "options",
        box="checkbox" if has_boxes else "radio",
        options=options,
        has_other=answer.other is not None,
        other=given.other,
        hints=tuple(_choice_hints(answer)),
    )


def _text_hints(answer: FreeText) -> Iterator[str]:
    if answer.is_numeric:
        yield _number_hint(answer)
    if answer.shortest:
        yield _("At least %(count)d characters.") % {"count": answer.shortest}
    if answer.longest is not None:
        yield _("At most %(count)d characters.") % {"count": answer.longest}


def _number_hint(answer: FreeText) -> str:
    bounds = {"least": answer.least, "greatest": answer.greatest}
    if answer.least is not None and answer.greatest is not None:
        return _("A number from %(least)s to %(greatest)s.") % bounds
    if answer.least is not None:
        return _("A number, at least %(least)s.") % bounds
    if answer.greatest is not None:
        return _("A number, at most %(greatest)s.") % bounds
    return _("A number.")


def _choice_hints(answer: Selection) -> Iterator[str]:
    if answer.least > 1 and answer.least == answer.most:
        yield _("Choose %(count)d.") % {"count": answer.most}
        return
    if answer.least > 1:
        yield _("Choose at least %(count)d.") % {"count": answer.least}
    if 1 < answer.most < len(answer.choices) + (answer.other is not None):
        yield _("Choose at most %(count)d.") % {"count": answer.most}


def _file_hints(answer: FileUpload) -> Iterator[str]:
    yield _("A file of at most %(size)s.") % {"size": filesizeformat(answer.largest)}
    if answer.smallest > 1:
        yield _("At least %(size)s.") % {"size": filesizeformat(answer.smallest)}
