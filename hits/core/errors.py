"""The one family of errors. Pages and the API turn them into answers in one place each."""

from collections.abc import Sequence


class CrowdError(Exception):
    """Whatever we refuse on purpose. The message says what to do."""


class RuleBroken(CrowdError):
    """A rule of the house; becomes HTTP 409. The code is for programs, the message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class InvalidAnswer(CrowdError):
    """An answer that the page could not have sent; nothing of it is recorded."""


class InvalidItems(CrowdError):
    """A file of items that cannot be read: every line of it that is wrong, and nothing was added."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = list(problems)


class ProviderError(CrowdError):
    """Something between us and the provider."""


class ProviderUnavailable(ProviderError):
    """The outcome is unknown: look before you repeat, and repeat only with the same token."""


class StandsStill(ProviderUnavailable):
    """Rows were put back from a copy, and nobody has confirmed the comparison: nothing was sent."""


class ProviderRefused(ProviderError):
    """The provider understood and said no: stop, and tell a person.

    `is_only_answer`: the request was made once, so no earlier attempt of it can have got through.
    """

    def __init__(self, message: str, *, code: str, is_only_answer: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.is_only_answer = is_only_answer

    @property
    def hit_is_gone(self) -> bool:
        return self.code == "HITDoesNotExist"

    @property
    def out_of_funds(self) -> bool:
        return self.code == "InsufficientFunds"
