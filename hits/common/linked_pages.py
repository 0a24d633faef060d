"""Headers of pages that a link alone opens: they tell no other site their address, and nobody frames them."""

from csp.constants import NONE, SELF
from csp.utils import build_policy
from django.http.response import HttpResponseBase

POLICY = {
    "default-src": [NONE],
    "style-src": [SELF],
    "img-src": [SELF],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}
WITH_SCRIPTS = {**POLICY, "script-src": [SELF]}


def guard(response: HttpResponseBase, *, policy: dict[str, list[str]] = POLICY) -> None:
    response["Content-Security-Policy"] = build_policy(config=policy)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    # A tab opened from a sandboxed frame is sandboxed too, and browsers block any other policy in one.
    response["Cross-Origin-Opener-Policy"] = "unsafe-none"
