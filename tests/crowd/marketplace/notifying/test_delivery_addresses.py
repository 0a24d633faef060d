"""Addresses that the marketplace sends to: none inside its own network."""

import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.conf import LazySettings
from django.utils import timezone

from crowd.marketplace.delivery.http_post import post, post_document, read_target
from hits.common.outgoing import Undeliverable, outgoing_posts, timed_speech
from hits.common.outgoing.outgoing_addresses import resolve
from tests.crowd.marketplace.receivers import receiving

Names = Callable[..., None]


@pytest.fixture
def in_public(settings: LazySettings) -> None:
    settings.MARKETPLACE_URL = "https://market.example.org"


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """Point every name of example.org to these addresses; a second look-up of a name fails."""
    real = socket.getaddrinfo

    def point_to(*addresses: str) -> None:
        asked = set()

        def find(host: str, port: int, *args: Any, **options: Any) -> Any:
            if not host.endswith(".example.org") and host != "example.org":
                return real(host, port, *args, **options)
            assert host not in asked
            asked.add(host)
            return [(0, 0, 0, "", (address, port)) for address in addresses]

        monkeypatch.setattr(socket, "getaddrinfo", find)

    return point_to


def problem_of(url: str) -> str:
    with pytest.raises(Undeliverable) as caught:
        resolve(read_target(url))
    return str(caught.value)


@pytest.mark.usefixtures("in_public")
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",  # noqa: S104 (nothing is bound here)
        "224.0.0.1", "255.255.255.255", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[::ffff:127.0.0.1]",
        "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[ff02::1]",
    ],
)  # fmt: skip
def test_address_inside_a_network_is_refused(host: str) -> None:
    assert problem_of(f"https://{host}/").endswith("is not a public address. Use a public address.")


@pytest.mark.usefixtures("in_public")
@pytest.mark.parametrize(
    "found",
    [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::ffff:169.254.169.254"], ["fe80::1%eth0"]],
)
def test_name_with_an_address_inside_a_network_is_refused(names: Names, found: list[str]) -> None:
    names(*found)

    assert "is not a public address" in problem_of("https://inside.example.org/")


@pytest.mark.usefixtures("in_public")
def test_name_with_public_addresses_is_taken(names: Names) -> None:
    names("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c")

    target = read_target("https://example.org:8443/a?b=c")

    assert resolve(target) == ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]
    assert (target.netloc, target.path) == ("example.org:8443", "/a?b=c")
    assert read_target("https://example.org:443").netloc == "example.org"


@pytest.mark.usefixtures("in_public")
@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://example.org/", "The address must begin with https://."),
        ("http://127.0.0.1/", "The address must begin with https://."),
        ("ftp://example.org/", "Give a whole address"),
        ("example.org", "Give a whole address"),
        ("https://", "Give a whole address"),
        ("", "An address is at most 2000"),
        ("https://example.org/" + "a" * 2000, "An address is at most 2000"),
        ("https://exämple.org/", "An address is at most 2000"),
        ("https://example.org/ a\r\nX: y", "An address is at most 2000"),
        ("https://name:word@example.org/", "Leave user names"),
        ("https://example.org/#part", "Leave user names"),
        ("https://example.org:0/", "Give a whole address"),
        ("https://example.org:99999/", "This is not an address."),
        ("https://[::1/", "This is not an address."),
    ],
)
def test_address_of_a_wrong_form_is_refused(url: str, says: str) -> None:
    assert problem_of(url).startswith(says)


def test_loopback_marketplace_speaks_plainly_to_loopback_alone(names: Names) -> None:
    assert resolve(read_target("http://127.0.0.1:81/")) == ["127.0.0.1"]
    names("93.184.215.14")
    assert problem_of("http://example.org/") == "The address must begin with https://."
    names("10.0.0.1")
    assert "is not a public address" in problem_of("https://inside.example.org/")


def test_name_that_nobody_knows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail)

    assert problem_of("https://nowhere.example.org/") == "The name nowhere.example.org was not found."


def test_name_is_looked_up_once_and_that_address_is_connected_to(names: Names) -> None:
    with receiving() as receiver:
        port = receiver.url.rpartition(":")[2]
        names("127.0.0.1")
        post_document(f"http://rebinding.example.org:{port}/x", body=b"{}", headers={"host": "other"})

    [came] = receiver.posts
    assert (came.path, came.headers["Host"]) == ("/x", f"rebinding.example.org:{port}")


def test_https_wants_a_certificate_that_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pem = make_certificate(tmp_path)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(pem)
    with receiving(tls=serving) as receiver:
        with pytest.raises(Undeliverable, match="CERTIFICATE_VERIFY_FAILED"):
            post_document(receiver.url, body=b"{}", headers={})
        monkeypatch.setattr(
            timed_speech, "trusted_certificates", lambda: ssl.create_default_context(cafile=pem)
        )
        post_document(receiver.url, body=b"{}", headers={})

    assert len(receiver.posts) == 1


def test_answer_is_read_only_where_it_is_wanted_and_never_whole() -> None:
    with receiving(answer=lambda _: (200, {}, b"a" * 100_000)) as receiver:
        unread = post(receiver.url, body=b"", headers={})
        read = post(receiver.url, body=b"", headers={}, wants_body=True)

    assert (len(unread.body), len(read.body)) == (0, outgoing_posts.LARGEST_ANSWER)


def test_who_speaks_no_http_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        server.listen()
        server.settimeout(5)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(outgoing_posts, "TIMEOUT_S", 0.2)
            with pytest.raises(Undeliverable, match="could not be reached"):
                post_document(f"http://127.0.0.1:{port}/", body=b"{}", headers={})


@pytest.mark.parametrize("connection", ["close", "keep-alive"])
def test_who_trickles_an_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch, connection: str) -> None:
    """Each byte comes in time, so only the limit of the whole answer ends it."""
    monkeypatch.setattr(outgoing_posts, "TIMEOUT_S", 0.4)
    head = f"HTTP/1.1 200 OK\r\nConnection: {connection}\r\nContent-Length: 1000\r\n\r\n"

    def trickle(server: socket.socket) -> None:
        client, _ = server.accept()
        with client, suppress(OSError):
            client.sendall(head.encode())
            for _ in range(40):
                time.sleep(0.05)
                client.sendall(b"a")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=trickle, args=[server])
        thread.start()
        began = time.monotonic()
        with suppress(Undeliverable):
            post(f"http://127.0.0.1:{server.getsockname()[1]}/", body=b"", headers={}, wants_body=True)
        took = time.monotonic() - began
        thread.join()

    assert took < 1.9


def make_certificate(folder: Path) -> Path:
    """Make a self-signed certificate for 127.0.0.1, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "receiver")])
    own = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    now = timezone.now()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(own, critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "receiver.pem"
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return path
