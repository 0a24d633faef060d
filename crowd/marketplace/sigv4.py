"""AWS Signature Version 4, verified as the server does."""

import hmac
import re
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from urllib.parse import quote

from django.db.models import CharField
from django.http import HttpRequest

from crowd.marketplace.errors import SignatureRefused
from crowd.marketplace.models.parties import AccessKey
from hits.common.kept_queries import Given, KeptQuery

SERVICE = "mturk-requester"
MUST_SIGN = frozenset({"host", "x-amz-date", "x-amz-target"})
WINDOW = timedelta(minutes=5)
AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 +Credential=(?P<key>[^/, ]+)/(?P<day>\d{8})/(?P<region>[^/, ]+)/(?P<service>[^/, ]+)"
    r"/aws4_request, *SignedHeaders=(?P<headers>[a-z0-9;-]+), *Signature=(?P<signature>[0-9a-f]{64})"
)

KEY = KeptQuery(
    lambda: AccessKey.objects.select_related("requester").filter(
        access_key_id=Given("key", CharField()), revoked_at=None, requester__closed_at=None
    )
)


def verify(request: HttpRequest, *, now: datetime, service: str, must_sign: AbstractSet[str]) -> AccessKey:
    """The key that signed this request. Repeated signatures pass: boto3 repeats them within a second."""
    match = AUTHORIZATION.fullmatch(request.headers.get("Authorization", ""))
    if not match:
        raise SignatureRefused(
            "Sign the request with AWS Signature Version 4.", kind="MissingAuthenticationTokenException"
        )
    signed_headers = match["headers"].split(";")
    if not set(signed_headers) >= must_sign or match["service"] != service:
        raise SignatureRefused(f"Sign {', '.join(sorted(must_sign))}, for the service {service}.")
    timestamp = _read_time(request, day=match["day"], now=now)
    key = KEY.first(key=match["key"])
    if not key:
        raise SignatureRefused(
            "The security token included in the request is invalid.", kind="UnrecognizedClientException"
        )
    scope = f"{match['day']}/{match['region']}/{service}/aws4_request"
    expected = _sign(request, key.secret, signed_headers, timestamp, scope)
    if not hmac.compare_digest(expected, match["signature"]):
        raise SignatureRefused("The request signature does not match: check the secret access key.")
    return key


def _read_time(request: HttpRequest, *, day: str, now: datetime) -> str:
    timestamp = request.headers.get("X-Amz-Date", "")
    try:
        signed_at = datetime.strptime(timestamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise SignatureRefused("X-Amz-Date must look like 20260930T120000Z.") from None
    if abs(now - signed_at) > WINDOW or not timestamp.startswith(day):
        raise SignatureRefused(
            f"Signature expired or not yet valid: {timestamp} is more than five minutes from "
            f"{now:%Y%m%dT%H%M%SZ}. Check this machine's clock."
        )
    return timestamp


def _sign(request: HttpRequest, secret: str, signed_headers: list[str], timestamp: str, scope: str) -> str:
    headers = "".join(
        f"{name}:{' '.join(request.headers.get(name, '').split())}\n" for name in signed_headers
    )
    canonical = "\n".join(
        [
            request.method or "",
            quote(request.path, safe="/-_.~"),
            _canonical_query(request),
            headers,
            ";".join(signed_headers),
            sha256(request.body).hexdigest(),
        ]
    )
    to_sign = "\n".join(["AWS4-HMAC-SHA256", timestamp, scope, sha256(canonical.encode()).hexdigest()])
    signing_key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        signing_key = hmac.digest(signing_key, part.encode(), "sha256")
    return hmac.digest(signing_key, to_sign.encode(), "sha256").hex()


def _canonical_query(request: HttpRequest) -> str:
    pairs = [
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, values in request.GET.lists()
        for value in values
    ]
    return "&".join(f"{name}={value}" for name, value in sorted(pairs))
