"""An identity provider inside the test: it answers what it is asked, signs, and can be made to lie."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from django.utils import timezone
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

ISSUER, CLIENT = "https://id.example.org", "crowd"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())


@dataclass
class Signer:
    """The provider. `changes` are put over its claims; `asked` holds what came to its token endpoint."""

    changes: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    key: Any = RSA
    algorithm: str = "RS256"
    kid: str = "first"
    issuer: str = ISSUER
    nonce: str = ""
    asked: list[Mapping[str, str]] = field(default_factory=list)

    def answer(self, address: str, *, sent: Mapping[str, str] | None = None, bearer: str = "") -> Any:
        match address.removeprefix(ISSUER):
            case "/.well-known/openid-configuration":
                names = ("authorization", "token", "userinfo")
                ends = {f"{name}_endpoint": f"{ISSUER}/{name}" for name in names}
                return {"issuer": self.issuer, "jwks_uri": f"{ISSUER}/keys", **ends}
            case "/keys":
                return {"keys": [_public(RSA, "first", "RS256"), _public(EC, "second", "ES256")]}
            case "/token":
                assert sent is not None
                self.asked.append(sent)
                return {"id_token": self.sign(), "access_token": "open sesame"}
            case "/userinfo":
                assert bearer == "open sesame"
                return self.about
        raise AssertionError(address)

    def sign(self) -> str:
        now = int(timezone.now().timestamp())
        claims = {
            "iss": ISSUER,
            "sub": "subject-1",
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": self.nonce,
            **self.changes,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, self.key, algorithm=self.algorithm, headers={"kid": self.kid})


def _public(key: Any, kid: str, algorithm: str) -> dict[str, Any]:
    kind: Any = RSAAlgorithm if algorithm == "RS256" else ECAlgorithm
    return {**kind.to_jwk(key.public_key(), as_dict=True), "kid": kid, "alg": algorithm, "use": "sig"}
