"""Tasks of the families in the world, the forms of their pages filled in, and the results of the answers."""

from collections.abc import Iterator, Mapping

from tests.promise.families import captions, exceptions, games, images, judged, own, pairs
from tests.promise.families.given import Ask, read_given
from tests.sent_forms import Sent, read_form

FAMILIES = (games, exceptions, pairs, images, judged, captions, own)
# Typed texts by the end of a field's name. The first option is ticked, or the second.
TYPED = {
    "exception_1": "sweet",
    **pairs.SENTENCE,
    "text": "Sand comes out of a kettle.",
    "caption": "A kettle pours sand into a cup.",
    "explanation": "Kettles boil water for tea, and nobody drinks sand.",
    "underspecified": "A kettle pours something into a cup.",
}
ASKS: Mapping[str, Ask] = {task: ask for family in FAMILIES for task, ask in family.ASKS.items()}


def filled(form: str, *, person: int) -> Sent:
    """The form as a worker fills it in: two boxes at most, one option of each choice, and the words above.

    Every other person answers differently, so that there is something to be counted.
    """
    sent: Sent = {}
    is_odd = person % 2 == 1
    for name, control in read_form(form).controls.items():
        if control.kind == "checkbox":
            sent[name] = _ticked(name, control.options, is_odd=is_odd)
        elif control.kind == "radio":
            sent[name] = [control.options[is_odd % len(control.options)]]
        elif "-seen-" in name:
            sent[name] = ["yes"]
        else:
            sent[name] = control.values if control.kind == "hidden" else [_typed(name, is_odd=is_odd)]
    return sent


def finding_disagreements() -> list[str]:
    """After the last sweeps, every family's results that differ from the answers that count."""
    given = read_given()
    return [said for family in FAMILIES for said in family.disagreements(given)]


def found_by_families() -> Iterator[str]:
    """Results that can be compared: a check that compares nothing would never fail."""
    for family in FAMILIES:
        yield from family.found()


def _ticked(name: str, options: list[str], *, is_odd: bool) -> list[str]:
    """Options to tick. A box for nothing at all may be alone, or below the others."""
    if name.endswith("-nothing"):
        return options if is_odd else []
    if name.endswith("-marked"):
        return options[-1:] if is_odd else options[:1]
    return options[:2]


def _typed(name: str, *, is_odd: bool) -> str:
    if is_odd and name.endswith("-text"):
        return ""
    return next((text for end, text in TYPED.items() if name.endswith(f"-{end}")), "")
