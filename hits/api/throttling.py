"""How often a token may ask. Counts live in Django's cache: losing them loses nothing."""

from time import time
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from hits.common import rates
from hits.identity.models.api_tokens import ApiToken


class ByToken(SimpleRateThrottle):
    """So many in each window of the clock; a cache that is away lets everybody through."""

    scope = "token"
    num_requests: int
    duration: int

    def allow_request(self, request: Request, view: Any) -> bool:
        return rates.spend("api", _who(request), most=self.num_requests, window_s=self.duration)

    def wait(self) -> float:
        """Until the next window begins."""
        return self.duration - time() % self.duration


def _who(request: Request) -> str:
    if isinstance(request.auth, ApiToken):
        return f"token:{request.auth.pk}"
    return f"user:{request.user.pk}"
