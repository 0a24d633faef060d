"""Reads the environment and fails loudly, with the variable's name and what to do."""

import json
import os
import secrets
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

PREFIX = "CROWD_"
KNOWN = {
    "CROWD_ACCOUNT_ACCESS_KEY_ID": "first account: access key",
    "CROWD_ACCOUNT_ENDPOINT": "first account: address of the Requester API",
    "CROWD_ACCOUNT_ENVIRONMENT": "first account: marketplace, sandbox or production",
    "CROWD_ACCOUNT_NAME": "first account: its name",
    "CROWD_ACCOUNT_SECRET_ACCESS_KEY": "first account: secret key",
    "CROWD_ACCOUNT_TICKET_KEY": "first account: key of the marketplace's tickets",
    "CROWD_ACCOUNT_WORKER_SITE": "first account: address of the site whose workers see our pages",
    "CROWD_ALLOWED_HOSTS": "host names served, separated by commas",
    "CROWD_ALLOW_AMAZON": "true: let accounts speak to *.amazonaws.com",
    "CROWD_BACKUP_ENDPOINT_URL": "address of the service that has the bucket of copies; empty: Amazon's S3",
    "CROWD_BACKUP_KEY_FILE": "file with the private key that opens encrypted copies",
    "CROWD_BACKUP_RECIPIENTS": "public keys, separated by commas, for which copies are encrypted",
    "CROWD_BEHIND_PROXY": "true: a proxy in front writes X-Forwarded-For; the default where we are https",
    "CROWD_DATA_DIR": "folder for databases, pictures, broker and keys of the embedded form",
    "CROWD_DEBUG": "true: Django's debug pages; never on a reachable host",
    "CROWD_EMAIL_FROM": "sender of e-mails to staff and workers",
    "CROWD_EMAIL_URL": "mail server: smtp+tls://user:password@host:587; empty: no e-mails",
    "CROWD_ERRORS_DSN": "address of a service that speaks Sentry's protocol and is told of failures",
    "CROWD_FETCH_PRIVATE": "true: let pictures be fetched from private and loopback addresses",
    "CROWD_FIELD_KEYS": "Fernet keys of encrypted columns, newest first",
    "CROWD_HEARTBEAT": "file that a background process touches while it is connected to the broker",
    "CROWD_MARKETPLACE_ALONE": "true: only the marketplace's rooms are loaded",
    "CROWD_MARKETPLACE_CONTACT": "where workers reach its operator: an e-mail address, or that of a page",
    "CROWD_MARKETPLACE_CONTENT_URL": "address of the requesters' own HTML, with * for the requester: https://*.market.example.org",
    "CROWD_MARKETPLACE_CONTROL_KEY": "switches the control API on (clock, faults); loopback only",
    "CROWD_MARKETPLACE_FEES": "fee schedule of new requesters: none, amazon, or per cent such as 5%",
    "CROWD_MARKETPLACE_KEYS": "Fernet keys of the marketplace, newest first",
    "CROWD_MARKETPLACE_KEY_RATE": "calls a second that one access key may make; 0 for no limit",
    "CROWD_MARKETPLACE_OPEN_REGISTRATION": "who may register as a worker: false, approval or true",
    "CROWD_MARKETPLACE_OPERATOR": "who runs the marketplace, as workers read it",
    "CROWD_MARKETPLACE_SQS_ACCESS_KEY_ID": "access key for the queues of notifications",
    "CROWD_MARKETPLACE_SQS_SECRET_ACCESS_KEY": "secret key for the queues of notifications",
    "CROWD_MARKETPLACE_URL": "public address of the marketplace",
    "CROWD_MARKETPLACE_WORKER_RATE": "requests a second that one worker may make; 0 for no limit",
    "CROWD_MEDIA_BY_PROXY": "location under which nginx, which then sends the pictures, has their folder",
    "CROWD_METRICS_TOKEN": "bearer token for /metrics, at least 16 characters; empty: there are none",
    "CROWD_OIDC_CLIENT_ID": "how the identity provider knows us",
    "CROWD_OIDC_CLIENT_SECRET": "our secret at the identity provider",
    "CROWD_OIDC_ISSUER": "address of an identity provider by which staff may sign in",
    "CROWD_PASSWORD_SIGN_IN": "false: of staff, only superusers sign in by a password",
    "CROWD_PLAY_URL": "address of the web game: a host of its own, for players without pay",
    "CROWD_PSEUDONYM_KEYS": "keys of pseudonyms and of the blind index, newest first",
    "CROWD_PUBLIC_URL": "public address of the question pages and the admin",
    "CROWD_RELEASES_BUCKET": "bucket of the releases' files; empty: they are in the data folder",
    "CROWD_RELEASES_ENDPOINT_URL": "address of the service that has this bucket; empty: Amazon's S3",
    "CROWD_RIVAL": "the rival of studies that name none: minilm, or one that was fetched",
    "CROWD_VOCABULARY": "the most words whose vectors every rival in play computes beforehand; 0 for none",
    "CROWD_RIVAL_DEADLINE_S": "seconds after which a worker is told that the verdict comes later",
    "CROWD_SECOND_FACTOR": "of whom a second factor is wanted: off, payments or staff",
    "CROWD_SECRET_KEY": "Django's secret key",
    "CROWD_SENDERS": "HITs sent at the same time by one background process",
    "CROWD_SURVEY_S": "seconds between two looks at every HIT of an account",
    "CROWD_TOKEN_KEYS": "keys of the question pages' tokens, newest first",
    "CROWD_WEIGHTS_DIR": "folder of the rivals' weights",
}
# Settings that mean nothing without another one.
NEEDS = {
    "CROWD_ACCOUNT_ACCESS_KEY_ID": "CROWD_ACCOUNT_SECRET_ACCESS_KEY",
    "CROWD_ACCOUNT_SECRET_ACCESS_KEY": "CROWD_ACCOUNT_ACCESS_KEY_ID",
    "CROWD_MARKETPLACE_SQS_ACCESS_KEY_ID": "CROWD_MARKETPLACE_SQS_SECRET_ACCESS_KEY",
    "CROWD_MARKETPLACE_SQS_SECRET_ACCESS_KEY": "CROWD_MARKETPLACE_SQS_ACCESS_KEY_ID",
    "CROWD_OIDC_CLIENT_ID": "CROWD_OIDC_CLIENT_SECRET",
    "CROWD_OIDC_CLIENT_SECRET": "CROWD_OIDC_ISSUER",
    "CROWD_OIDC_ISSUER": "CROWD_OIDC_CLIENT_ID",
    "CROWD_PASSWORD_SIGN_IN": "CROWD_OIDC_ISSUER",
    "CROWD_RELEASES_ENDPOINT_URL": "CROWD_RELEASES_BUCKET",
}
# Schemes of mail servers, with their usual ports: encrypted from the greeting on, from the start, or never.
MAIL_PORTS = {"smtp+tls": 587, "smtp+ssl": 465, "smtp": 25}
SHORTEST_TOKEN = 16
FERNET_KEYS = ("CROWD_FIELD_KEYS", "CROWD_MARKETPLACE_KEYS")
SERVERS = ("DATABASE_URL", "MARKETPLACE_DATABASE_URL", "REDIS_URL")  # their addresses may hold passwords
IN_FILE = "_FILE"
TEXT_KEYS = ("CROWD_SECRET_KEY", "CROWD_PSEUDONYM_KEYS", "CROWD_TOKEN_KEYS")


def read_files(environ: MutableMapping[str, str]) -> None:
    """Take each setting from the file that its name with `_FILE` names, as containers are given secrets."""
    for name in sorted(environ):
        setting = name.removesuffix(IN_FILE)
        if setting == name or setting not in (*KNOWN, *SERVERS):
            continue
        if setting in environ:
            raise ImproperlyConfigured(f"Set {setting} or {name}, not both.")
        try:
            environ[setting] = Path(environ[name]).read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
            raise ImproperlyConfigured(
                f"{name} names {environ[name]}, which cannot be read: {why}."
            ) from None
        del environ[name]  # a process that is started from here has the setting already


def refuse_unknown(environ: Mapping[str, str]) -> None:
    """Raise ImproperlyConfigured for an unknown setting: a misspelt one must not silently have no effect."""
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in KNOWN:
            near = get_close_matches(name, KNOWN, n=1)
            advice = f"Did you mean {near[0]}?" if near else "docs/settings.md lists the known ones."
            raise ImproperlyConfigured(f"Unknown setting {name}. {advice}")


def refuse_half_pairs(environ: Mapping[str, str]) -> None:
    """Raise ImproperlyConfigured for a setting that needs another one, which is not set."""
    for name, needed in NEEDS.items():
        if environ.get(name) and not environ.get(needed):
            raise ImproperlyConfigured(f"{name} is set, but {needed} is not ({KNOWN[needed]}): set both.")


def refuse_other_schemes(environ: Mapping[str, str], name: str, *, schemes: Sequence[str]) -> None:
    """Raise ImproperlyConfigured for an address of another kind, which may hold a password."""
    scheme, separator, _ = environ.get(name, "").partition("://")
    if environ.get(name) and (not separator or scheme not in schemes):
        begins = " or ".join(f"{one}://" for one in schemes)
        raise ImproperlyConfigured(f"{name} must begin with {begins}: docs/settings.md has examples.")


def read_alone(environ: Mapping[str, str]) -> bool:
    """Whether only the marketplace runs.

    Raises ImproperlyConfigured if only that is installed, but not set.
    """
    is_alone = read_flag(environ, "CROWD_MARKETPLACE_ALONE")
    if not is_alone and find_spec("rest_framework") is None:
        raise ImproperlyConfigured(
            "The group `web` is not installed here, and this needs it: run `uv sync --only-group web`, or "
            "`uv sync` for everything. To use the marketplace alone, set CROWD_MARKETPLACE_ALONE=true."
        )
    return is_alone


def read_flag(environ: Mapping[str, str], name: str, *, default: bool = False) -> bool:
    value = environ.get(name, str(default)).strip().lower()
    if value not in ("true", "false"):
        raise ImproperlyConfigured(f"{name} must be true or false; it is {environ[name]!r}.")
    return value == "true"


def read_choice(environ: Mapping[str, str], name: str, *, choices: Sequence[str]) -> str:
    """Read one of some words; the first is the default."""
    value = environ.get(name, choices[0]).strip().lower()
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}; it is {value!r}.")
    return value


def read_second_factor(environ: Mapping[str, str], *, embedded: bool) -> str:
    """Read of whom a second factor is wanted: on a server, of whoever may send money."""
    rest = ("off", "payments", "staff") if embedded else ("payments", "off", "staff")
    return read_choice(environ, "CROWD_SECOND_FACTOR", choices=rest)


def read_rate(environ: Mapping[str, str], name: str, *, default: int) -> int:
    value = environ.get(name, str(default)).strip()
    if not (value.isascii() and value.isdigit()):
        raise ImproperlyConfigured(f"{name} must be a whole number, 0 for no limit; it is {value!r}.")
    return int(value)


def read_location(environ: Mapping[str, str], name: str) -> str:
    """Read the path below which a server in front has something; empty for none."""
    value = environ.get(name, "").strip()
    if value and not (value.startswith("/") and value.endswith("/")):
        raise ImproperlyConfigured(f"{name} must begin and end with a slash; it is {value!r}.")
    return value


def read_token(environ: Mapping[str, str], name: str) -> str:
    """Read a token that a program brings; a short one could be guessed."""
    value = environ.get(name, "").strip()
    if value and len(value) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(f"{name} must have at least {SHORTEST_TOKEN} characters.")
    return value


def read_mail_server(url: str) -> dict[str, object]:
    """Return Django's settings for a mail server. The address holds a password, so no error repeats it."""
    parts = urlsplit(url)
    if parts.scheme not in MAIL_PORTS or not parts.hostname:
        raise ImproperlyConfigured(
            f"CROWD_EMAIL_URL must be an address such as smtp+tls://user:password@host:587, with one of "
            f"{', '.join(MAIL_PORTS)}."
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or MAIL_PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtp+ssl",
    }


def load_keys(environ: Mapping[str, str], *, data_dir: Path, embedded: bool) -> dict[str, list[str]]:
    """Keys from the environment; the embedded form makes and keeps its own for what is not set."""
    if sys.argv[1:2] == ["make_keys"]:
        return make_keys()  # without keys it must still be possible to make some
    kept = _embedded_keys(data_dir) if embedded else {}
    keys = {}
    for name in (*FERNET_KEYS, *TEXT_KEYS):
        keys[name] = [key.strip() for key in environ.get(name, "").split(",") if key.strip()]
        keys[name] = keys[name] or kept.get(name, [])
        if not keys[name]:
            raise ImproperlyConfigured(
                f"{name} is not set ({KNOWN[name]}). A server database needs it in the environment; "
                "`python manage.py make_keys` prints a full set."
            )
    for name in FERNET_KEYS:
        _check_fernet(name, keys[name])
    return keys


def make_keys() -> dict[str, list[str]]:
    return {
        **{name: [Fernet.generate_key().decode()] for name in FERNET_KEYS},
        **{name: [secrets.token_urlsafe(48)] for name in TEXT_KEYS},
    }


def _embedded_keys(data_dir: Path) -> dict[str, list[str]]:
    """Keys of the embedded form, made once by whichever process comes first: the exclusive link decides."""
    path = data_dir / "keys.json"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        draft = data_dir / f"keys-{os.getpid()}.json"
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(make_keys(), indent=2))
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    keys: dict[str, list[str]] = json.loads(path.read_text())
    return keys


def _check_fernet(name: str, keys: list[str]) -> None:
    for key in keys:
        try:
            Fernet(key)
        except ValueError:
            raise ImproperlyConfigured(
                f"{name} holds something that is not a Fernet key; `python manage.py make_keys` prints one."
            ) from None
