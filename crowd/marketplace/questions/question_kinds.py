"""Recognition of the three kinds of question."""

from crowd.marketplace.questions.external import EXTERNAL, read_external
from crowd.marketplace.questions.form import FORM_SCHEMAS, is_form, read_form_question
from crowd.marketplace.questions.html import HTML, read_html_question
from crowd.marketplace.questions.xml_parsing import Question, invalid, parse, shorten


def read_question(xml: str) -> Question:
    """Parse a question of any kind. Raises ParameterValidationError that says what to correct."""
    root = parse(xml, noun="Question")
    if root.tag == f"{EXTERNAL}ExternalQuestion":
        return read_external(root, xml=xml)
    if root.tag == f"{HTML}HTMLQuestion":
        return read_html_question(root, xml=xml)
    if is_form(root):
        return read_form_question(root, xml=xml)
    raise invalid(
        f"Question must be an ExternalQuestion of {EXTERNAL[1:-1]}, an HTMLQuestion of {HTML[1:-1]} or a "
        f"QuestionForm of {' or '.join(FORM_SCHEMAS)}; it is {shorten(root.tag)}."
    )
