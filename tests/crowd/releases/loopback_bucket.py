"""A service on loopback that speaks as much of S3 as the product needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.sax.saxutils import escape

MARK = "x-amz-meta-"


class LoopbackBucket:
    """A bucket's objects with their metadata; its calls; and the status with which it refuses, if it does."""

    def __init__(self, name: str) -> None:
        self.name, self.url = name, ""
        self.objects: dict[str, tuple[bytes, dict[str, str]]] = {}
        self.uploads: dict[str, tuple[dict[int, bytes], dict[str, str]]] = {}
        self.calls: list[str] = []
        self.keys: set[str] = set()
        # Calls that are answered before it refuses all others; None: it never does.
        self.patience: int | None = None

    def sent(self) -> list[str]:
        """Names of the objects that were sent, each time."""
        return [call.rpartition("/")[2] for call in self.calls if call.startswith(("PUT", "COMPLETE"))]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bucket: LoopbackBucket

    def do_HEAD(self) -> None:
        self._answer_object(with_body=False)

    def do_GET(self) -> None:
        if "list-type" not in self._query():
            self._answer_object(with_body=True)
        elif self._is_served("LIST"):
            named = [key for key in self.bucket.objects if key.startswith(self._query()["prefix"])]
            rows = "".join(f"<Contents><Key>{escape(key)}</Key></Contents>" for key in sorted(named))
            self._answer(200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>")

    def do_PUT(self) -> None:
        body, query = self.rfile.read(int(self.headers["Content-Length"])), self._query()
        if not self._is_served("PART" if "uploadId" in query else "PUT"):
            return
        if "uploadId" in query:
            self.bucket.uploads[query["uploadId"]][0][int(query["partNumber"])] = body
        else:
            self.bucket.objects[self._key()] = (body, self._metadata())
        self._answer(200, headers={"ETag": f'"{md5(body, usedforsecurity=False).hexdigest()}"'})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        query = self._query()
        if not self._is_served("COMPLETE" if "uploadId" in query else "CREATE"):
            return
        if "uploadId" in query:
            parts, metadata = self.bucket.uploads.pop(query["uploadId"])
            self.bucket.objects[self._key()] = (b"".join(parts[one] for one in sorted(parts)), metadata)
            self._answer(200, "<CompleteMultipartUploadResult/>")
        else:
            name = f"upload-{len(self.bucket.calls)}"
            self.bucket.uploads[name] = ({}, self._metadata())
            told = f"<UploadId>{name}</UploadId>"
            self._answer(200, f"<InitiateMultipartUploadResult>{told}</InitiateMultipartUploadResult>")

    def do_DELETE(self) -> None:
        query = self._query()
        if self._is_served("ABORT" if "uploadId" in query else "DELETE"):
            self.bucket.uploads.pop(query.get("uploadId", ""), None)
            if "uploadId" not in query:
                self.bucket.objects.pop(self._key(), None)
            self._answer(204)

    def _answer_object(self, *, with_body: bool) -> None:
        if not self._is_served("GET" if with_body else "HEAD"):
            return
        if not self._key():
            self._answer(200)
        elif found := self.bucket.objects.get(self._key()):
            body, metadata = found
            told = {f"{MARK}{name}": value for name, value in metadata.items()}
            first, _, last = self.headers.get("Range", "").removeprefix("bytes=").partition("-")
            part = body[int(first) : int(last) + 1] if first else body
            self._answer(206 if first else 200, part, headers=told, with_body=with_body)
        else:
            self._answer(404, _error("NoSuchKey") if with_body else "")

    def _is_served(self, call: str) -> bool:
        """Note the call. Refuses it where patience is at its end, or the address is another bucket's."""
        self.bucket.calls.append(f"{call} {self._key()}")
        self.bucket.keys.add(
            self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
        )
        is_ours = unquote(urlsplit(self.path).path).split("/")[1] == self.bucket.name
        if self.bucket.patience is not None:
            self.bucket.patience -= 1
        if is_ours and (self.bucket.patience is None or self.bucket.patience >= 0):
            return True
        self._answer(403, "" if self.command == "HEAD" else _error("AccessDenied"))
        return False

    def _query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))

    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix(f"/{self.bucket.name}").removeprefix("/")

    def _metadata(self) -> dict[str, str]:
        named = {name.lower(): value for name, value in self.headers.items()}
        return {name.removeprefix(MARK): value for name, value in named.items() if name.startswith(MARK)}

    def _answer(
        self, status: int, body: bytes | str = b"", *, headers: dict[str, str] | None = None,
        with_body: bool = True,
    ) -> None:  # fmt: skip
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing: a test reads the calls."""


def _error(code: str) -> str:
    return f"<Error><Code>{code}</Code><Message>no</Message></Error>"


@contextmanager
def serving_bucket(name: str = "data-of-ours") -> Iterator[LoopbackBucket]:
    bucket = LoopbackBucket(name)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Serving", (Handler,), {"bucket": bucket}))
    server.daemon_threads = True
    bucket.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield bucket
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
