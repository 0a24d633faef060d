"""The health check of a container that serves: python -m config.tools.ask_health. It loads no settings."""

import os
import sys
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

PATH = "/health/"
SECONDS = 4


def main() -> int:
    alone = os.environ.get("CROWD_MARKETPLACE_ALONE", "").strip().lower() == "true"
    site = os.environ.get("CROWD_MARKETPLACE_URL" if alone else "CROWD_PUBLIC_URL", "http://127.0.0.1")
    port = int(os.environ.get("WEB_BIND", "0.0.0.0:8000").rpartition(":")[2])
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    # Only its own host is answered, and the proxy in front says that the outside is encrypted.
    headers = {"Host": urlsplit(site).netloc, "X-Forwarded-Proto": urlsplit(site).scheme}
    try:
        connection.request("GET", PATH, headers=headers)
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        sys.stderr.write(f"No answer: {error}\n")
        return 1
    if status != HTTPStatus.OK:
        sys.stderr.write(f"{PATH} answers {status}.\n")
    return int(status != HTTPStatus.OK)


if __name__ == "__main__":
    sys.exit(main())
