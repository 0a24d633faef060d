"""Labels of entries, and the faults of an entry that takes a word."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.questions.page_entries import Labels, fault_of_text
from crowd.winoventi.domain.words import LONGEST_WORD, are_same, is_na, is_one_word

LABELS: Labels = {
    "makes_sense": gettext_lazy("Does it make sense"),
    "exception_1": gettext_lazy("First word"),
    "exception_2": gettext_lazy("Second word"),
    "exception_3": gettext_lazy("Third word"),
    "sentence": gettext_lazy("Your sentence"),
    "generic_word": gettext_lazy("Word for the first outcome"),
    "exception_word": gettext_lazy("Word for the second outcome"),
    "generic_synonym": gettext_lazy("The first two words"),
    "exception_synonym": gettext_lazy("The second two words"),
    "exception_fits_generic": gettext_lazy("The first blank"),
    "generic_fits_exception": gettext_lazy("The second blank"),
    "choice": gettext_lazy("The blank"),
    "synonym": gettext_lazy("The two words"),
    "fits": gettext_lazy("The blank"),
}


def fault_of_word(text: str, *, outcomes: Sequence[str] = ()) -> str:
    """The fault of a filled entry that takes exactly one word; `outcomes` may not be used."""
    if len(text.lower()) > LONGEST_WORD:
        return _("A word has at most %(most)d letters.") % {"most": LONGEST_WORD}
    if not is_na(text) and not is_one_word(text):
        return _("This is more than one word. Take the space out, or find a single word.")
    if any(are_same(text, outcome) for outcome in outcomes):
        return _("This uses a word of the statement itself. Find another one that only leads to it.")
    return fault_of_text(text)
