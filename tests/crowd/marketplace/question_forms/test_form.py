"""QuestionForm: what is accepted, what is refused, and with which words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.questions import read_form
from crowd.marketplace.questions.content import Block
from crowd.marketplace.questions.form_answers import FileUpload, FreeText, Selection
from crowd.marketplace.questions.question_kinds import read_question
from crowd.marketplace.questions.xml_parsing import MAX_BYTES
from tests.crowd.marketplace.forms import (
    FILE,
    FORM,
    FORM_2017,
    form,
    free_text,
    most,
    overview,
    pattern,
    question,
    selection,
)

pytestmark = pytest.mark.pure

ATTRIBUTE = re.compile(r'\s(on\w+|style|src|href)="[^"]*"', re.IGNORECASE)
BINARY = (
    "<Binary><MimeType><Type>{kind}</Type><SubType>x</SubType></MimeType>"
    "<DataURL>{url}</DataURL><AltText>A thing</AltText></Binary>"
)
EMBEDDED = (
    "<EmbeddedBinary><EmbeddedMimeType><Type>flash</Type></EmbeddedMimeType>"
    "<DataURL>https://example.org/f</DataURL><AltText>A film</AltText><Width>9</Width><Height>9</Height>"
    "<ApplicationParameter><Name>n</Name><Value>v</Value></ApplicationParameter></EmbeddedBinary>"
)
FLASH = (
    "<Application><Flash><FlashMovieURL>https://example.org/f</FlashMovieURL><Width>9</Width>"
    "<Height>9</Height></Flash></Application>"
)
APPLET = (
    "<Application><JavaApplet><AppletPath>p</AppletPath><AppletFilename>f</AppletFilename><Width>9</Width>"
    "<Height>9</Height></JavaApplet></Application>"
)


def refusal(xml: str) -> ParameterValidationError:
    with pytest.raises(ParameterValidationError) as caught:
        read_question(xml)
    return caught.value


def content_of(xml: str) -> tuple[Block, ...]:
    return read_form(form(overview(xml), question())).parts[0].content


def answer_of(xml: str) -> FreeText | Selection | FileUpload:
    return read_form(form(question(xml))).questions[0].answer


@pytest.mark.parametrize("space", [FORM, FORM_2017])
def test_form_of_either_namespace_is_a_question_of_its_own_kind(space: str) -> None:
    xml = form(question(), space=space)

    read = read_question(xml)

    assert (read.kind, read.xml, read.url, read.frame_height) == ("form", xml, "", 0)


def test_form_content_keeps_its_kinds_in_order() -> None:
    found = content_of(
        "<Title>T</Title><Text>a &lt;b&gt;</Text>"
        "<List><ListItem>one</ListItem><ListItem>two</ListItem></List>"
        + BINARY.format(kind="image", url="https://example.org/i.png")
        + BINARY.format(kind="audio", url="http://example.org/a.ogg")
        + EMBEDDED
        + FLASH
        + APPLET
    )

    assert found == (
        Block(kind="title", text="T"),
        Block(kind="text", text="a <b>"),
        Block(kind="list", items=("one", "two")),
        Block(kind="image", url="https://example.org/i.png", text="A thing"),
        Block(kind="audio", url="http://example.org/a.ogg", text="A thing"),
        Block(kind="replaced", url="https://example.org/f", text="A film"),
        Block(kind="replaced"),
        Block(kind="replaced"),
    )


def test_form_question_keeps_what_it_asks() -> None:
    [read] = read_form(form(question(identifier=" 7 ", name="Seven", required=True))).questions

    assert (read.identifier, read.name, read.is_required) == ("7", "Seven", True)
    assert (read.content, read.answer) == ((Block(kind="text", text="What is it?"),), FreeText())


def test_form_free_text_keeps_its_bounds() -> None:
    constraints = '<IsNumeric minValue="-1.5" maxValue="10"/><Length minLength="2" maxLength="9"/>'
    rest = "<DefaultText> 4 </DefaultText><NumberOfLinesSuggestion>3</NumberOfLinesSuggestion>"

    read = answer_of(free_text(constraints, rest=rest))

    assert isinstance(read, FreeText)
    assert (str(read.least), str(read.greatest), read.shortest, read.longest) == ("-1.5", "10", 2, 9)
    assert (read.is_numeric, read.default, read.lines) == (True, " 4 ", 3)


@pytest.mark.parametrize(
    ("before", "counts"),
    [
        ("", (0, 1)),
        ("<StyleSuggestion>checkbox</StyleSuggestion>", (0, 3)),
        ("<StyleSuggestion>multichooser</StyleSuggestion>", (0, 3)),
        ("<StyleSuggestion>dropdown</StyleSuggestion>", (0, 1)),
        (most(2, least=1), (1, 2)),
    ],
)
def test_form_selection_counts_default_by_its_style(before: str, counts: tuple[int, int]) -> None:
    read = answer_of(selection(before=before))

    assert isinstance(read, Selection)
    assert (read.least, read.most) == counts


@pytest.mark.parametrize("place", ["inside", "after"])
def test_form_other_selection_may_stand_inside_or_after_the_selections(place: str) -> None:
    other = "<OtherSelection><Constraints><Length maxLength='5'/></Constraints></OtherSelection>"
    xml = (
        selection(other=other)
        if place == "inside"
        else selection().replace("</SelectionAnswer>", f"{other}</SelectionAnswer>")
    )

    read = answer_of(xml)

    assert isinstance(read, Selection)
    assert read.other == FreeText(longest=5)


def test_form_file_has_the_smaller_of_its_bound_and_ours() -> None:
    found = [answer_of(FILE.replace("1000", size)) for size in ("500", "2000000000")]

    assert found == [FileUpload(smallest=2, largest=500), FileUpload(smallest=2, largest=2_000_000)]


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        (form(), "QuestionForm needs Question."),
        (form(overview("<Text>Hello</Text>")), "QuestionForm needs Question."),
        (form(question(), "<More/>"), "QuestionForm may not hold More."),
        (
            form(question(), '<x:Question xmlns:x="urn:other"/>'),
            "QuestionForm may not hold {urn:other}Question.",
        ),
        (form(overview(""), question()), "Overview may not be empty."),
        (form(overview("<Heading>x</Heading>"), question()), "Overview/Heading is not known."),
        (form(overview("<Text>a<b/></Text>"), question()), "Overview/Text must hold text only."),
        (form(overview("<List/>"), question()), "Overview/List needs ListItem."),
        (
            form(overview(BINARY.format(kind="film", url="https://a.example")), question()),
            "must be image, audio",
        ),
        (
            form(overview(BINARY.format(kind="image", url="javascript:alert(1)")), question()),
            "DataURL must be an http or https address.",
        ),
        (
            form(overview("<Application><Silver/></Application>"), question()),
            "exactly one of: JavaApplet, Flash",
        ),
        (form(question(), question()), "QuestionIdentifier must be unique; repeated: q."),
        (form(question(identifier=" ")), "QuestionIdentifier must have 1 to 128 characters."),
        (form(question(identifier="q" * 129)), "QuestionIdentifier must have 1 to 128 characters."),
        (form(question("<FreeTextAnswer/><FreeTextAnswer/>")), "AnswerSpecification needs exactly one of"),
        (form(question("")), "AnswerSpecification needs exactly one of"),
        (form(question("<Drawing/>")), "AnswerSpecification needs exactly one of"),
        (form(question().replace("false", "perhaps")), "IsRequired must be true or false."),
        (form(question(content="")), "QuestionContent may not be empty."),
        (form(question(free_text('<IsNumeric minValue="many"/>'))), "minValue must be a number."),
        (form(question(free_text('<IsNumeric minValue="NaN"/>'))), "minValue must be a number."),
        (form(question(free_text('<IsNumeric minValue="2" maxValue="1"/>'))), "minValue is above maxValue."),
        (form(question(free_text('<Length minLength="-1"/>'))), "minLength must be a whole number"),
        (form(question(free_text('<Length minLength="5" maxLength="4"/>'))), "minLength is above maxLength."),
        (form(question(free_text("<AnswerFormatRegex/>"))), "needs the attribute regex."),
        (form(question(pattern("(", error="x"))), "the regex '(' cannot be used"),
        (form(question(pattern("x", flags="g"))), "flags may only be i."),
        (form(question(selection("a", "a"))), "SelectionIdentifier must be unique; repeated: a."),
        (form(question(selection(before=most(4)))), "MaxSelectionCount must be a whole number from 1 to 3."),
        (
            form(question(selection(before=most(1, least=2)))),
            "MinSelectionCount must be a whole number from 0",
        ),
        (form(question(selection(before=most(1, style="wheel")))), "StyleSuggestion must be one of"),
        (form(question("<SelectionAnswer><Selections/></SelectionAnswer>")), "Selections needs Selection."),
        (
            form(question(selection().replace("<Text>The a</Text>", ""))),
            "exactly one of: Text, FormattedContent",
        ),
        (form(question(FILE.replace("1000", "0"))), "MaxFileSizeInBytes must be a whole number"),
        (form(question(FILE.replace("1000", "1"))), "MinFileSizeInBytes must be a whole number from 0 to 1."),
        (
            form(*(question(FILE, identifier=str(number)) for number in range(21))),
            "A QuestionForm may ask for at most 20 files.",
        ),
        (
            form(question(), space=FORM.replace("2005-10-01", "2005-10-02")),
            "Question must be an ExternalQuestion",
        ),
    ],
)
def test_form_with_a_mistake_is_refused_by_its_name(xml: str, words: str) -> None:
    error = refusal(xml)

    assert words in error.message
    assert error.code == "InvalidParameterValue"


@pytest.mark.parametrize(
    "regex", ["(?=a)b", r"(a)\1", "a{1,2000}", "(?R)", "(?:(?:a?){900}){900}", "a" * 1001]
)
def test_form_pattern_that_cannot_be_matched_in_linear_time_is_refused(regex: str) -> None:
    assert "regex" in refusal(form(question(pattern(regex)))).message


@pytest.mark.parametrize(
    "xml",
    [
        form(question()) + " " * MAX_BYTES,
        form(question("<a>" * 5000 + "</a>" * 5000)),
        form(overview("<List>" * 60 + "</List>" * 60), question()),
    ],
)
def test_form_that_is_too_long_or_too_deep_is_refused(xml: str) -> None:
    assert refusal(xml).code == "InvalidParameterValue"


@pytest.mark.parametrize(
    "xml",
    [
        "",
        "hello",
        "<QuestionForm",
        form("<Question>"),
        '<!DOCTYPE b [<!ENTITY a "ha">]>' + form(question()),
        '<!DOCTYPE b SYSTEM "file:///etc/hostname">' + form(question()),
        '<?xml version="1.0" encoding="no-such"?>' + form(question()) + "&nbsp;",
        form(question(content="<Text>&nbsp;</Text>")),
        form(question(content="<Text>\0</Text>")),
        form(question(content="<Text>\ud800</Text>")),
    ],
)
def test_form_that_is_not_well_formed_is_refused(xml: str) -> None:
    assert refusal(xml).code == "XMLParseError"


def formatted(source: str) -> str:
    [block] = content_of(f"<FormattedContent><![CDATA[{source}]]></FormattedContent>")
    return str(block.html)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<b>a</b> &amp; <i>b</i><br/>c", "<b>a</b> &amp; <i>b</i><br>c"),
        ("a&nbsp;b &copy;", "a\xa0b ©"),
        ("<h1>Big</h1><center>x</center>", "<h3>Big</h3><div>x</div>"),
        ('<p style="color:red" class="x" id="main">t</p>', "<p>t</p>"),
        (
            '<a href="https://example.org/?a=1&amp;b=%22">x</a>',
            '<a href="https://example.org/?a=1&amp;b=%22" target="_blank" rel="noopener noreferrer">x</a>',
        ),
        ('<img src="https://a.example/i.png"/>', '<img src="https://a.example/i.png" alt="">'),
        (
            '<span title="&quot;&gt;&lt;script&gt;">x</span>',
            '<span title="&quot;&gt;&lt;script&gt;">x</span>',
        ),
        ("<!-- gone --><p>&lt;script&gt;</p>", "<p>&lt;script&gt;</p>"),
        ('<p xmlns="http://www.w3.org/1999/xhtml">x</p>', "<p>x</p>"),
        ('<table><tr><td colspan="2">x</td></tr></table>', '<table><tr><td colspan="2">x</td></tr></table>'),
    ],
)
def test_formatted_content_is_written_again_from_what_is_known(source: str, written: str) -> None:
    assert formatted(source) == written


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<SCRIPT>alert(1)</SCRIPT>",
        '<iframe src="https://example.org"/>',
        "<svg/>",
        "<form/>",
        "<style>p{}</style>",
        '<p onclick="alert(1)">x</p>',
        '<p ONCLICK="alert(1)">x</p>',
        '<a href="javascript:alert(1)">x</a>',
        '<a href=" java&#10;script:alert(1)">x</a>',
        '<a href="//example.org">x</a>',
        '<img src="data:text/html,x"/>',
        '<img src="x" onerror="alert(1)"/>',
        '<x:p xmlns:x="urn:other">x</x:p>',
        "<p>open",
        "</div><div>",
        "a & b",
        "&unknown;",
        "<p>" * 200 + "</p>" * 200,
    ],
)
def test_formatted_content_that_is_unknown_or_may_run_is_refused(source: str) -> None:
    xml = form(overview(f"<FormattedContent><![CDATA[{source}]]></FormattedContent>"), question())

    assert refusal(xml).code == "XHTMLParseError"


@given(source=st.text(alphabet='<>"/=& abdiovscript:on;#&!-[]', max_size=60))
def test_formatted_content_never_lets_a_script_through(source: str) -> None:
    try:
        written = formatted(source.replace("]]>", ""))
    except ParameterValidationError:
        return
    assert "<script" not in written.lower()
    assert not ATTRIBUTE.search(re.sub(r'(href|src)="https?:[^"]*"', "", written))


@given(xml=st.text(max_size=200))
def test_question_of_any_text_is_read_or_refused(xml: str) -> None:
    with pytest.raises(ParameterValidationError):
        read_question(form(xml))
