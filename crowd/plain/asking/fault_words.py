"""Messages to workers about what is wrong with an entry."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from crowd.plain.domain.answers import Wrong
from crowd.plain.domain.pages import Kind, Part

_WORDS: Mapping[Wrong, str | Promise] = {
    Wrong.MISSING: gettext_lazy("Write something here."),
    Wrong.NOT_OFFERED: gettext_lazy("This answer is not on the page. Choose one that is."),
    Wrong.TOO_LONG: gettext_lazy("This is too long: at most %(longest)d characters."),
    Wrong.NO_NUMBER: gettext_lazy("Write a number, in figures."),
    Wrong.NOT_WHOLE: gettext_lazy("Write a whole number."),
    Wrong.TOO_LITTLE: gettext_lazy("The number must be at least %(least)s."),
    Wrong.TOO_MUCH: gettext_lazy("The number must be at most %(most)s."),
}
_CHOOSE = gettext_lazy("Choose one of the answers.")
_TICK = gettext_lazy("Tick at least one of the answers.")


def words_for(wrong: Wrong, part: Part) -> str:
    if wrong == Wrong.MISSING and part.options:
        return str(_TICK if part.kind == Kind.CHOICES else _CHOOSE)
    return str(_WORDS[wrong]) % {"longest": part.longest, "least": part.least, "most": part.most}
