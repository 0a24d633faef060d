"""The key that signs SNS-style posts, and the certificate with which receivers check them."""

from datetime import timedelta
from functools import lru_cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID
from django.utils import timezone

from crowd.marketplace import seals
from crowd.marketplace.models import SigningKey

NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Marketplace notifications")])
LIFE = timedelta(days=3650)


def signing_key() -> SigningKey:
    """The key, made when first needed. Two processes may make two: each certificate fits its signatures."""
    return SigningKey.objects.order_by("pk").first() or _make_key()


def sign(text: str, *, key: SigningKey) -> bytes:
    return _private_key(key.private_sealed).sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())


@lru_cache(maxsize=4)
def _private_key(sealed: str) -> rsa.RSAPrivateKey:
    key = serialization.load_pem_private_key(seals.unseal(sealed).encode(), password=None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError("The signing key is not one of ours.")
    return key


def _make_key() -> SigningKey:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return SigningKey.objects.create(
        private_sealed=seals.seal(private.decode()),
        certificate=_certify(key).public_bytes(serialization.Encoding.PEM).decode(),
        created_at=timezone.now(),
    )


def _certify(key: rsa.RSAPrivateKey) -> x509.Certificate:
    """A certificate by the machine's real clock, from yesterday, for receivers whose clock is late."""
    begins = timezone.now() - timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(NAME)
        .issuer_name(NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + LIFE)
        .sign(key, hashes.SHA256())
    )
