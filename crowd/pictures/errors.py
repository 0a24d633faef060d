"""Refusals of files that should become pictures."""

from hits.core.errors import CrowdError


class BadPicture(CrowdError):
    """A file that will never be a picture of the pool. The message says why, and what to do."""


class NotFetched(CrowdError):
    """An address that gave nothing this time. `is_final`: another time it gives nothing, either."""

    def __init__(self, message: str, *, is_final: bool) -> None:
        super().__init__(message)
        self.is_final = is_final
