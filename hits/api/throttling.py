"""The request limit of each token. Counts are kept in Django's cache: losing them does no harm."""

from time import time
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from hits.common import rates
from hits.identity.models.api_tokens import ApiToken


class ByToken(SimpleRateThrottle):
    """A limit on requests in each time window. If the cache is down, every request is let through."""

    scope = "token"
    num_requests: int
    duration: int

    def allow_request(self, request: Request, view: Any) -> bool:
        return rates.spend("api", _who(request), most=self.num_requests, window_s=self.duration)

    def wait(self) -> float:
        """Seconds until the next window begins."""
        return self.duration - time() % self.duration


def _who(request: Request) -> str:
    if isinstance(request.auth, ApiToken):
        return f"token:{request.auth.pk}"
    return f"user:{request.user.pk}"
