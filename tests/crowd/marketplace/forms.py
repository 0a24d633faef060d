"""QuestionForms, HTMLQuestions and AnswerKeys for tests, and the parts that a test may vary."""

from crowd.marketplace.questions.xml_parsing import SCHEMAS

FORM = f"{SCHEMAS}/2005-10-01/QuestionForm.xsd"
FORM_2017 = f"{SCHEMAS}/2017-11-06/QuestionForm.xsd"
HTML = f"{SCHEMAS}/2011-11-11/HTMLQuestion.xsd"
KEY = f"{SCHEMAS}/2005-10-01/AnswerKey.xsd"
FREE_TEXT = "<FreeTextAnswer/>"
FILE = (
    "<FileUploadAnswer><MaxFileSizeInBytes>1000</MaxFileSizeInBytes>"
    "<MinFileSizeInBytes>2</MinFileSizeInBytes></FileUploadAnswer>"
)


def form(*parts: str, space: str = FORM) -> str:
    return f'<QuestionForm xmlns="{space}">{"".join(parts)}</QuestionForm>'


def overview(content: str) -> str:
    return f"<Overview>{content}</Overview>"


def question(
    answer: str = FREE_TEXT,
    *,
    identifier: str = "q",
    name: str = "",
    required: bool = False,
    content: str = "<Text>What is it?</Text>",
) -> str:
    return (
        f"<Question><QuestionIdentifier>{identifier}</QuestionIdentifier>"
        f"{f'<DisplayName>{name}</DisplayName>' if name else ''}"
        f"<IsRequired>{str(required).lower()}</IsRequired>"
        f"<QuestionContent>{content}</QuestionContent>"
        f"<AnswerSpecification>{answer}</AnswerSpecification></Question>"
    )


def free_text(constraints: str = "", *, rest: str = "") -> str:
    return f"<FreeTextAnswer><Constraints>{constraints}</Constraints>{rest}</FreeTextAnswer>"


def pattern(regex: str, *, error: str = "Write it otherwise.", flags: str = "") -> str:
    return free_text(f'<AnswerFormatRegex regex="{regex}" errorText="{error}" flags="{flags}"/>')


def selection(*names: str, before: str = "", other: str = "") -> str:
    choices = "".join(
        f"<Selection><SelectionIdentifier>{name}</SelectionIdentifier><Text>The {name}</Text></Selection>"
        for name in names or ("a", "b", "c")
    )
    return f"<SelectionAnswer>{before}<Selections>{choices}{other}</Selections></SelectionAnswer>"


def most(count: int, *, least: int = 0, style: str = "checkbox") -> str:
    return (
        f"<MinSelectionCount>{least}</MinSelectionCount><MaxSelectionCount>{count}</MaxSelectionCount>"
        f"<StyleSuggestion>{style}</StyleSuggestion>"
    )


def html_question(html: str = "<p>Hello</p>", *, height: str = "450") -> str:
    return (
        f'<HTMLQuestion xmlns="{HTML}"><HTMLContent><![CDATA[{html}]]></HTMLContent>'
        f"<FrameHeight>{height}</FrameHeight></HTMLQuestion>"
    )


def answer_key(*questions: str, mapping: str = "") -> str:
    wrapped = f"<QualificationValueMapping>{mapping}</QualificationValueMapping>" if mapping else ""
    return f'<AnswerKey xmlns="{KEY}">{"".join(questions)}{wrapped}</AnswerKey>'


def scored(identifier: str, *options: tuple[str, int], default: int | None = None) -> str:
    """XML of a scored question; an option is its space-separated selections and their score."""
    written = "".join(
        "<AnswerOption>"
        + "".join(f"<SelectionIdentifier>{one}</SelectionIdentifier>" for one in names.split())
        + f"<AnswerScore>{score}</AnswerScore></AnswerOption>"
        for names, score in options
    )
    rest = "" if default is None else f"<DefaultScore>{default}</DefaultScore>"
    return f"<Question><QuestionIdentifier>{identifier}</QuestionIdentifier>{written}{rest}</Question>"
