"""A certificate authority for this machine alone. It can vouch for the given hosts and for no others."""

import os
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

YEAR = timedelta(days=365)
RENEW_BEFORE = timedelta(days=30)
LEAF_LIFE = timedelta(days=2)
SKEW = timedelta(minutes=10)  # the clocks of containers on one machine


def _trusted_already(*, but: Path) -> bytes:
    """What this machine trusts: most variables replace a list, and the program may reach other hosts too."""
    path = ssl.get_default_verify_paths().cafile
    return Path(path).read_bytes() if path and Path(path) != but else b""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A key and its certificate."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    def pem(self) -> bytes:
        private = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return private + self.certificate.public_bytes(Encoding.PEM)


class Authority:
    """An authority kept in a folder: authority.pem for its owner alone, ca.pem for programs that trust it."""

    def __init__(self, *, folder: Path, hosts: Sequence[str], now: datetime) -> None:
        self.bundle = folder / "ca.pem"
        self._hosts = tuple(hosts)
        self._lock = Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._pair = _keep(folder / "authority.pem", hosts=self._hosts, now=now)
        own = self._pair.certificate.public_bytes(Encoding.PEM)
        _replace(self.bundle, own + _trusted_already(but=self.bundle), mode=0o644)
        self._renew_leaf(now=now)

    def context(self, *, now: datetime) -> ssl.SSLContext:
        """A TLS context for a server of these hosts. Its certificate lives two days, renewed after one."""
        with self._lock:
            if now >= self._renew_at:
                self._renew_leaf(now=now)
            return self._context

    def _renew_leaf(self, *, now: datetime) -> None:
        leaf = _issue_leaf(self._pair, hosts=self._hosts, now=now)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        with TemporaryDirectory() as folder:  # OpenSSL reads certificates from files only
            path = Path(folder) / "leaf.pem"
            _replace(path, leaf.pem(), mode=0o600)
            context.load_cert_chain(path)
        self._context = context
        self._renew_at = now + LEAF_LIFE / 2


def _keep(path: Path, *, hosts: Sequence[str], now: datetime) -> Pair:
    """The stored pair, or a new one if it soon ends or is for other hosts. The first of two starts wins."""
    if path.exists():
        kept = _read(path)
        if _is_usable(kept.certificate, hosts=hosts, now=now):
            return kept
        path.unlink(missing_ok=True)
    draft = path.with_name(f"{path.name}-{os.getpid()}")
    _replace(draft, _make_authority(hosts=hosts, now=now).pem(), mode=0o600)
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
    return _read(path)


def _read(path: Path) -> Pair:
    content = path.read_bytes()
    key = load_pem_private_key(content, password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError(f"{path} holds another kind of key; remove it, and a new one will be made.")
    return Pair(key=key, certificate=x509.load_pem_x509_certificate(content))


def _is_usable(certificate: x509.Certificate, *, hosts: Sequence[str], now: datetime) -> bool:
    constraints = certificate.extensions.get_extension_for_class(x509.NameConstraints).value
    permitted = {name.value for name in constraints.permitted_subtrees or []}
    return permitted == set(hosts) and now < certificate.not_valid_after_utc - RENEW_BEFORE


def _make_authority(*, hosts: Sequence[str], now: datetime) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Crowd marketplace proxy, this machine only")])
    constraints = x509.NameConstraints(
        permitted_subtrees=[x509.DNSName(host) for host in hosts],
        excluded_subtrees=[x509.IPAddress(ip_network("0.0.0.0/0")), x509.IPAddress(ip_network("::/0"))],
    )
    builder = (
        _certificate(subject=name, issuer=name, key=key, life=YEAR, now=now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(constraints, critical=True)
    )
    return Pair(key=key, certificate=builder.sign(key, hashes.SHA256()))


def _issue_leaf(authority: Pair, *, hosts: Sequence[str], now: datetime) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Crowd marketplace proxy")])
    issuer = authority.certificate
    issuer_key = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    builder = (
        _certificate(subject=name, issuer=issuer.subject, key=key, life=LEAF_LIFE, now=now)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(issuer_key), critical=False
        )
    )
    return Pair(key=key, certificate=builder.sign(authority.key, hashes.SHA256()))


def _certificate(
    *,
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    life: timedelta,
    now: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now.astimezone(UTC) - SKEW)
        .not_valid_after(now.astimezone(UTC) + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _replace(path: Path, content: bytes, *, mode: int) -> None:
    """Write a file whole or not at all, and never readable by others for an instant."""
    draft = path.with_name(f".{path.name}-{os.getpid()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
    draft.replace(path)
