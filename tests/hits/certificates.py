"""Messages as SNS signs them, and a host that serves certificates."""

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID

from tests.factories import NOW

TOPIC = "arn:aws:sns:us-east-1:123456789012:events"
Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


@cache
def rsa_key(size: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=size)


def certificate(
    key: Key | None = None, *, begins: datetime = NOW - timedelta(days=1), days: int = 30
) -> bytes:
    key = key or rsa_key()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "notifications")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(begins).not_valid_after(begins + timedelta(days=days))
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


class Shelf:
    """A host that serves what was put there, and keeps a list of the requests."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.files: dict[str, tuple[int, Mapping[str, str], bytes]] = {}
        self.asked: list[str] = []

    def put(self, path: str, content: bytes, *, status: int = 200, **headers: str) -> str:
        self.files[path] = (status, headers, content)
        return self.url + path


@contextmanager
def serving_shelf() -> Iterator[Shelf]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kept.asked.append(self.path)
            status, headers, content = kept.files.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Write nothing to standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept = Shelf(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def message(
    url: str, *, version: str = "2", key: rsa.RSAPrivateKey | None = None, **changes: Any
) -> dict[str, Any]:
    """Make a message signed as SNS does; None in `changes` leaves a field out."""
    said = {
        "Type": "Notification",
        "MessageId": "m-1",
        "TopicArn": TOPIC,
        "Message": "{}",
        "Timestamp": "2026-11-21T12:00:00.000Z",
        **changes,
    }
    said = {name: value for name, value in said.items() if value is not None}
    names = sorted(name for name in said if name != "UnsubscribeURL")
    text = "".join(f"{name}\n{said[name]}\n" for name in names)
    algorithm = hashes.SHA1() if version == "1" else hashes.SHA256()  # noqa: S303 (version 1 of SNS)
    signature = (key or rsa_key()).sign(text.encode(), padding.PKCS1v15(), algorithm)
    return {
        **said,
        "SignatureVersion": version,
        "Signature": base64.b64encode(signature).decode(),
        "SigningCertURL": url,
    }
