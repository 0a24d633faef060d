"""Calls of the control API, for tests that turn the clock or simulate workers."""

import json
from collections.abc import Mapping
from typing import Any

from botocore.awsrequest import AWSRequest
from botocore.httpsession import URLLib3Session

from tests.conftest import Sites

CONTROL_KEY = "control-key-of-the-tests"


def control(
    http: URLLib3Session, sites: Sites, verb: str, values: Mapping[str, Any]
) -> tuple[int, Mapping[str, Any]]:
    """Call a verb of the control API; return the status and the answer."""
    request = AWSRequest(
        method="POST",
        url=f"{sites.marketplace}/control/{verb}/",
        data=json.dumps(values).encode(),
        headers={"Content-Type": "application/json", "X-Control-Key": CONTROL_KEY},
    )
    response = http.send(request.prepare())
    return response.status_code, json.loads(response.content)
