"""The rights of the content host's pages.

A requester's own page has its host's origin if each requester has one, and an opaque one if all share it.
Pages of ours with a requester's text always have an opaque one.
"""

from collections.abc import Mapping, Sequence

from django.conf import settings
from django.http import HttpResponse

# A survey in a new tab needs its cookies, and a form may ask before it is sent.
SANDBOX = (
    "allow-scripts",
    "allow-forms",
    "allow-modals",
    "allow-popups",
    "allow-popups-to-escape-sandbox",
)
ANYWHERE = ("*", "data:", "blob:")


def guard_html(response: HttpResponse) -> HttpResponse:
    """Guard a requester's own page: it may load and run what it likes, inside its sandbox."""
    anything = (*ANYWHERE, "'unsafe-inline'", "'unsafe-eval'")
    has_own_host = "*" in settings.MARKETPLACE_CONTENT_URL
    return _guard(
        response,
        {"default-src": anything, "object-src": ("'none'",)},
        sandbox=(*SANDBOX, "allow-same-origin") if has_own_host else SANDBOX,
    )


def guard_form(response: HttpResponse) -> HttpResponse:
    """Guard our page with a requester's text: pictures from anywhere, scripts and styles only ours."""
    # Named, because 'self' means nothing to an origin that is opaque.
    own = (settings.MARKETPLACE_CONTENT_URL, settings.MARKETPLACE_URL)
    return _guard(
        response,
        {
            "default-src": ("'none'",),
            "script-src": own,
            "style-src": own,
            "img-src": ("http:", "https:", "data:"),
            "media-src": ("http:", "https:"),
            "base-uri": ("'none'",),
        },
    )


def _guard(
    response: HttpResponse, sources: Mapping[str, Sequence[str]], *, sandbox: Sequence[str] = SANDBOX
) -> HttpResponse:
    directives = {
        **sources,
        "form-action": (settings.MARKETPLACE_URL,),
        "frame-ancestors": (settings.MARKETPLACE_URL,),
        "sandbox": sandbox,
    }
    response["Content-Security-Policy"] = "; ".join(
        f"{name} {' '.join(values)}" for name, values in directives.items()
    )
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store"
    return response
