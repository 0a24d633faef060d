"""What can be wrong with a visit to a question page: a status, and words that say what to do."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from hits.errors import CrowdError


class Problem(CrowdError):
    """Raised with one sentence or several."""

    status = 400
    title = _("This page cannot be shown")

    def __init__(self, *sentences: str | Promise) -> None:
        super().__init__(" ".join(str(sentence) for sentence in sentences))


class NoSuchHIT(Problem):
    status = 404
    title = _("There is no such HIT")


class Distrusted(Problem):
    """The parameters claim something that nobody we know has signed."""

    status = 403
    title = _("This visit cannot be verified")


class Expired(Problem):
    status = 410
    title = _("The time for this HIT is over")


class Unreadable(Problem):
    title = _("This page's token is not readable")
