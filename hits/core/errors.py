"""The one family of errors. Pages and the API turn them into responses in one place each."""

from collections.abc import Sequence


class CrowdError(Exception):
    """A refusal on purpose. The message says what to do."""


class RuleBroken(CrowdError):
    """A broken rule of the project; becomes HTTP 409. The code is for programs, the message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class InvalidAnswer(CrowdError):
    """An answer that the page could not have sent; nothing of it is recorded."""


class InvalidItems(CrowdError):
    """A file of items that cannot be read: names every wrong line; nothing was added."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = list(problems)


class ProviderError(CrowdError):
    """A failure between this system and the provider."""


class ProviderUnavailable(ProviderError):
    """The outcome is unknown: look before you repeat, and repeat only with the same token."""


class StandsStill(ProviderUnavailable):
    """Nothing was sent: data was restored from a copy, and nobody has confirmed the comparison yet."""


class NothingDone(ProviderUnavailable):
    """The provider did nothing, for certain: it was busy, or what has to come first did not get through."""


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
