"""Problems of a visit to a question page: each has a status, and words that say what to do."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from hits.core.errors import CrowdError

AGAIN = _("Please open the work again on the platform, where you began it.")


class Problem(CrowdError):
    """A problem of a visit, raised with one sentence or several."""

    status = 400
    title = _("This page cannot be shown")
    template = "frame/problem.html"
    headers: Mapping[str, str] = {}
    # Whether it is no mistake of the worker's, and is said without alarm.
    is_mild = False
    # Whether the page says how to give the HIT back.
    is_returnable = False
    # Whether nothing is left to do here but to go back to the platform.
    leads_back = False

    def __init__(self, *sentences: str | Promise) -> None:
        super().__init__(" ".join(str(sentence) for sentence in sentences))


class NoSuchHIT(Problem):
    status = 404
    title = _("There is no such work")


class UnverifiedVisit(Problem):
    """Raised for parameters that claim something not signed by anyone we know."""

    status = 403
    title = _("This visit cannot be verified")
    leads_back = True


class Ineligible(Problem):
    """The refusal of hits.work.services.eligibility, in its own words and with its code."""

    status = 403
    title = _("You cannot do this one")
    is_mild = True
    is_returnable = True
    # Where the worker reads more about it, if it is proven who that is.
    where = ""

    def __init__(self, sentence: str, *, code: str) -> None:
        super().__init__(sentence)
        self.code = code


class NotOffered(Problem):
    """Raised at preview, before a worker accepts in vain."""

    status = 409
    title = _("No new work here at the moment")
    is_mild = True


class Expired(Problem):
    status = 410
    title = _("The time for this work is over")
    leads_back = True


class VisitOver(Problem):
    """Raised where the provider says that nobody is at work on it any more."""

    status = 410
    title = _("This visit is over")
    is_mild = True
    leads_back = True


class Unreadable(Problem):
    title = _("This page's token is not readable")
    leads_back = True


class AcceptanceAwaited(Problem):
    """Raised until the provider reports the acceptance. The page reloads by itself."""

    status = 202
    title = _("Waiting for the platform")
    template = "frame/waiting.html"
    headers = {"Refresh": "5"}


class Hasty(Problem):
    status = 429
    title = _("Please wait a moment")
    is_mild = True

    def __init__(self, *sentences: str | Promise, wait_s: int) -> None:
        super().__init__(*sentences)
        self.headers = {"Retry-After": str(wait_s)}
