"""QuestionForm: questions that the marketplace itself shows as a page, read and checked as a whole."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from crowd.marketplace.questions.content import Block, read_content
from crowd.marketplace.questions.form_answers import (
    ANSWER_READERS,
    FileUpload,
    FreeText,
    Selection,
    read_identifier,
    read_word,
    refuse_repeats,
)
from crowd.marketplace.questions.xml_parsing import (
    ANY,
    MAYBE,
    ONE,
    SCHEMAS,
    SOME,
    Node,
    Question,
    invalid,
    parse,
    shorten,
)

FORM_SCHEMAS = tuple(f"{SCHEMAS}/{day}/QuestionForm.xsd" for day in ("2005-10-01", "2017-11-06"))
MOST_FILES = 20


@dataclass(frozen=True, kw_only=True)
class FormQuestion:
    identifier: str
    name: str
    is_required: bool
    content: tuple[Block, ...]
    answer: FreeText | Selection | FileUpload


@dataclass(frozen=True, kw_only=True)
class Overview:
    content: tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class Form:
    parts: tuple[Overview | FormQuestion, ...]

    @property
    def questions(self) -> tuple[FormQuestion, ...]:
        return tuple(part for part in self.parts if isinstance(part, FormQuestion))


def read_form(xml: str, *, noun: str = "Question") -> Form:
    """Parse a form that the API calls `noun`. Raises ParameterValidationError that says what to correct."""
    root = parse(xml, noun=noun)
    if not is_form(root):
        raise invalid(
            f"{noun} must be a QuestionForm of {' or '.join(FORM_SCHEMAS)}; it is {shorten(root.tag)}."
        )
    return _read_form(root)


def read_form_question(root: Element, *, xml: str) -> Question:
    _read_form(root)
    return Question(kind="form", xml=xml)


def is_form(root: Element) -> bool:
    return root.tag in {f"{{{schema}}}QuestionForm" for schema in FORM_SCHEMAS}


def _read_form(root: Element) -> Form:
    node = Node(root, space=root.tag[1:].partition("}")[0])
    node.children(Overview=ANY, Question=SOME)
    form = Form(parts=tuple(_read_part(child) for child in node))
    refuse_repeats([question.identifier for question in form.questions], name="QuestionIdentifier")
    if sum(isinstance(question.answer, FileUpload) for question in form.questions) > MOST_FILES:
        raise invalid(f"A QuestionForm may ask for at most {MOST_FILES} files.")
    return form


def _read_part(node: Node) -> Overview | FormQuestion:
    return Overview(content=read_content(node)) if node.name == "Overview" else _read_question(node)


def _read_question(node: Node) -> FormQuestion:
    parts = node.children(
        QuestionIdentifier=ONE,
        DisplayName=MAYBE,
        IsRequired=MAYBE,
        QuestionContent=ONE,
        AnswerSpecification=ONE,
    )
    answer = parts["AnswerSpecification"][0].only(*ANSWER_READERS)
    return FormQuestion(
        identifier=read_identifier(parts["QuestionIdentifier"][0]),
        name=read_word(parts["DisplayName"]),
        is_required=_read_flag(parts["IsRequired"]),
        content=read_content(parts["QuestionContent"][0]),
        answer=ANSWER_READERS[answer.name](answer),
    )


def _read_flag(nodes: list[Node]) -> bool:
    word = read_word(nodes) or "false"
    if word not in ("true", "false", "1", "0"):
        raise invalid(f"{nodes[0].path} must be true or false.")
    return word in ("true", "1")
