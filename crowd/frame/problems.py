"""What can be wrong with a visit to a question page: a status, and words that say what to do."""

from hits.errors import CrowdError


class Problem(CrowdError):
    status = 400
    title = "This page cannot be shown"


class NoSuchHIT(Problem):
    status = 404
    title = "There is no such HIT"


class Distrusted(Problem):
    """The parameters claim something that nobody we know has signed."""

    status = 403
    title = "This visit cannot be verified"


class Expired(Problem):
    status = 410
    title = "The time for this HIT is over"


class Unreadable(Problem):
    title = "This page's token is not readable"
