"""The one settings file. Everything that differs between machines comes from the environment."""

import os
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config.environment import (
    load_keys,
    read_alone,
    read_choice,
    read_files,
    read_flag,
    read_location,
    read_mail_server,
    read_rate,
    read_second_factor,
    read_token,
    refuse_half_pairs,
    refuse_other_schemes,
    refuse_unknown,
)
from config.languages import find_languages
from config.logs import configure_logs
from hits.common.outgoing.outgoing_addresses import is_on_loopback
from hits.core.domain.sameness import is_amazon

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
django_stubs_ext.monkeypatch()  # ModelAdmin[Study] and its like, at run time too
read_files(os.environ)
refuse_unknown(os.environ)
refuse_half_pairs(os.environ)
MARKETPLACE_ALONE = read_alone(os.environ)

DATA_DIR = Path(env.str("CROWD_DATA_DIR", str(BASE_DIR / ".crowd"))).resolve()
DEBUG = read_flag(os.environ, "CROWD_DEBUG")

# Databases: two SQLite files, or two servers' databases.
SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON",
    "timeout": 20,
}
# Compiling a page's query takes PostgreSQL longer than running it.
POSTGRESQL = {"options": "-c jit=off"}


def _database(variable: str, file_name: str) -> dict[str, object]:
    refuse_other_schemes(os.environ, variable, schemes=("postgres", "postgresql", "sqlite"))
    database: dict[str, Any] = env.db_url(variable, f"sqlite:///{DATA_DIR / file_name}")
    if str(database["ENGINE"]).endswith("sqlite3"):
        # The test files are separate from the real ones, and separate for every run.
        test_name = Path(tempfile.gettempdir()) / f"crowd-test-{os.getpid()}-{file_name}"
        return {**database, "OPTIONS": SQLITE, "TEST": {"NAME": str(test_name)}}
    options = {**POSTGRESQL, **database.get("OPTIONS", {})}
    return {**database, "OPTIONS": options, "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}


DATABASES = {
    "default": _database("DATABASE_URL", "crowd.sqlite3"),
    "marketplace": _database("MARKETPLACE_DATABASE_URL", "marketplace.sqlite3"),
}
DATABASE_ROUTERS = ["crowd.marketplace.database.Router"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Deployed, there may be no marketplace, or one that runs elsewhere.
EMBEDDED = "sqlite" in str(DATABASES["default"]["ENGINE"])
MARKETPLACE_IS_HERE = MARKETPLACE_ALONE or EMBEDDED or "sqlite" not in str(DATABASES["marketplace"]["ENGINE"])
if EMBEDDED:  # databases, messages, pictures and logs are files: their owner's alone
    os.umask(0o077)

# Keys: separate, rotatable (the first one writes, all of them read), none derived from another.
_keys = load_keys(os.environ, data_dir=DATA_DIR, embedded=EMBEDDED)
SECRET_KEY, *SECRET_KEY_FALLBACKS = _keys["CROWD_SECRET_KEY"]
FIELD_KEYS = _keys["CROWD_FIELD_KEYS"]
PSEUDONYM_KEYS = _keys["CROWD_PSEUDONYM_KEYS"]
TOKEN_KEYS = _keys["CROWD_TOKEN_KEYS"]
MARKETPLACE_KEYS = _keys["CROWD_MARKETPLACE_KEYS"]


# Addresses. Cookies ignore ports, so the two sites differ by name even on one machine.
def _site(variable: str, default: str) -> str:
    url: str = env.str(variable, default).rstrip("/")
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise ImproperlyConfigured(f"{variable} must be an http or https address; it is {url!r}.")
    return url


PUBLIC_URL = _site("CROWD_PUBLIC_URL", "http://127.0.0.1:8000")
MARKETPLACE_URL = _site("CROWD_MARKETPLACE_URL", "http://localhost:8000")
# HTML written by requesters is shown on a host for each of them: it reaches no session and no other's page.
MARKETPLACE_CONTENT_URL = _site(
    "CROWD_MARKETPLACE_CONTENT_URL",
    urlsplit(MARKETPLACE_URL)._replace(netloc=f"*.{urlsplit(MARKETPLACE_URL).netloc}").geturl(),
)
if "*" in MARKETPLACE_CONTENT_URL.replace("//*.", "//", 1):
    raise ImproperlyConfigured(
        "CROWD_MARKETPLACE_CONTENT_URL may have one *, for the requester, at the beginning of its host name: "
        f"https://*.example.org. It is {MARKETPLACE_CONTENT_URL!r}."
    )
# Players of the web game have accounts and cookies of their own.
PLAY_URL = _site(
    "CROWD_PLAY_URL",
    urlsplit(MARKETPLACE_URL)._replace(netloc=f"play.{urlsplit(MARKETPLACE_URL).netloc}").geturl(),
)
SITES = (PUBLIC_URL, MARKETPLACE_URL, MARKETPLACE_CONTENT_URL, PLAY_URL)
if len({urlsplit(site).hostname for site in SITES}) < len(SITES):
    raise ImproperlyConfigured(
        "CROWD_PUBLIC_URL, CROWD_MARKETPLACE_URL, CROWD_MARKETPLACE_CONTENT_URL and CROWD_PLAY_URL must "
        "differ in their host names."
    )


def _cookies(*sites: str) -> str:
    """How cookies of these sites are called: "{}" is what one is for.

    Instances of one machine, each at its port, must not share them, and a page of a requester, which may be
    below the marketplace's host, must not set them: a browser takes "__Host-" from the host itself alone.
    """
    port = urlsplit(sites[0]).port
    prefix = "__Host-" if all(site.startswith("https:") for site in sites) else ""
    return f"{prefix}{{}}{f'_{port}' if port else ''}"


def _host(site: str) -> str:
    """The host name as Django allows it: one that begins with a dot stands for all below it."""
    return (urlsplit(site).hostname or "").removeprefix("*")


SERVED = (MARKETPLACE_URL, MARKETPLACE_CONTENT_URL) if MARKETPLACE_ALONE else SITES
# Programs without a setting for the endpoint are led here by a proxy, and still ask for these hosts.
AMAZON_HOSTS = tuple(
    f"{service}.us-east-1.amazonaws.com" for service in ("mturk-requester", "mturk-requester-sandbox", "sns")
)
ALLOWED_HOSTS = [
    *(env.list("CROWD_ALLOWED_HOSTS", default=[]) or [_host(site) for site in SERVED]),
    *AMAZON_HOSTS,
]
ROOT_URLCONF = "crowd.marketplace.urls" if MARKETPLACE_ALONE else "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
SECURE = SERVED[0].startswith("https:")

# Apps that the marketplace alone does not load, and need not have installed.
RESEARCHERS_APPS = [
    "config.apps.CrowdAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "rest_framework",
    "drf_spectacular",
    "hits",
    "scoring",
    "qualifications",
    "crowd.frame",
    "crowd.statement",
    "crowd.questions",
    "crowd.pictures",
    "crowd.releases",
    "crowd.benchmarks",
    "crowd.boards",
    "crowd.papers",
    "crowd.rehearsal",
    "crowd.winogavil",
    "crowd.winogavil.annotation",
    "crowd.winogavil.releases",
    "crowd.winogavil.play",
    "crowd.winoventi",
    "crowd.winoground",
    "crowd.whoops",
    "crowd.plain",
    "crowd.compensation",
]
INSTALLED_APPS = [
    "config.apps.ConfigApp",  # its templates go before those of others
    *([] if MARKETPLACE_ALONE else RESEARCHERS_APPS),
    "django.contrib.staticfiles",
    "csp",
    "crowd.marketplace",
]
MIDDLEWARE = [
    "config.watching.probes.Probes",
    "config.middleware.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "config.static_files.StaticFiles",
    "config.middleware.SiteByHost",
    "config.middleware.NoNul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.languages.PageLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "hits.admin.identity.sign_in_gate.SignInGate",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]
CONTEXT_PROCESSORS = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]
if MARKETPLACE_ALONE:  # its people and their sessions are its own; Django's are the researchers'
    MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith(("django.contrib.", "hits."))]
    CONTEXT_PROCESSORS = [name for name in CONTEXT_PROCESSORS if not name.startswith("django.contrib.")]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": CONTEXT_PROCESSORS, "builtins": ["hits.common.page_filters"]},
    }
]

# People and sessions of the researchers' side. Workers have their own, in the marketplace.
AUTH_USER_MODEL = "hits.User"
AUTHENTICATION_BACKENDS = ["hits.identity.permissions.Backend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
# Whoever has set up a second factor is asked for it in any case.
SECOND_FACTOR = read_second_factor(os.environ, embedded=EMBEDDED)
OIDC_ISSUER = env.str("CROWD_OIDC_ISSUER", "")
OIDC_CLIENT_ID = env.str("CROWD_OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = env.str("CROWD_OIDC_CLIENT_SECRET", "")
PASSWORD_SIGN_IN = read_flag(os.environ, "CROWD_PASSWORD_SIGN_IN", default=True)
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"  # if the page asked for is none of ours
SESSION_COOKIE_NAME = _cookies(PUBLIC_URL).format("sessionid")
SESSION_COOKIE_SECURE = PUBLIC_URL.startswith("https:")
# Sites of one port differ in their hosts, so that this name is theirs together.
CSRF_COOKIE_NAME = _cookies(*SERVED).format("csrftoken")
CSRF_FAILURE_VIEW = "config.error_pages.stale_form"
CSRF_COOKIE_SECURE = all(site.startswith("https:") for site in SERVED)

# Headers.
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # what is below our hosts may be somebody else's, and need not be encrypted
    "security.W008",  # the proxy in front redirects: what it passes on has come encrypted
    "security.W021",  # whether browsers are to know the host beforehand is for its owner to ask
]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SECURE else None
BEHIND_PROXY = read_flag(os.environ, "CROWD_BEHIND_PROXY", default=SECURE)
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# Language and time. Instants are UTC; a study names its own zone for what is daily or monthly.
LANGUAGE_CODE = "en-us"
USE_I18N = True
LOCALE_PATHS = [BASE_DIR / "config/locale"]
# Django's own ninety would translate its few words on a page, and leave ours as they are.
LANGUAGES = list(find_languages(LOCALE_PATHS[0]))
LANGUAGE_COOKIE_AGE = 365 * 24 * 60 * 60
LANGUAGE_COOKIE_HTTPONLY, LANGUAGE_COOKIE_SAMESITE, LANGUAGE_COOKIE_SECURE = True, "Lax", SECURE
FORMAT_MODULE_PATH = "config.formats"
USE_TZ = True
TIME_ZONE = "UTC"

# Files.
STATIC_URL = "/static/"
# Made from the code alone, so it is beside the code where that is writable, whatever the data folder.
STATIC_ROOT = (BASE_DIR / ".crowd" if os.access(BASE_DIR, os.W_OK) else DATA_DIR) / (
    "static-marketplace" if MARKETPLACE_ALONE else "static"  # each form collects the files of its own apps
)
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
MEDIA_ROOT = DATA_DIR / "media"
# Where the server in front has this folder, for itself alone: it sends the pictures then.
MEDIA_BY_PROXY = read_location(os.environ, "CROWD_MEDIA_BY_PROXY")
# The answer of a long questionnaire must not be lost with the worker's time; Django takes a quarter of it.
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
FILE_UPLOAD_PERMISSIONS = None  # the umask decides, as for all other files
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.Storage"},
}

# Celery. No result backend anywhere: callers read rows. Losing a message loses nothing.
refuse_other_schemes(os.environ, "REDIS_URL", schemes=("redis", "rediss", "unix"))
REDIS_URL = env.str("REDIS_URL", "")
BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_URL = REDIS_URL or "crowdfiles://localhost"  # config.broker
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {}
    if REDIS_URL
    else {
        "data_folder_in": str(BROKER_DIR / "messages"),
        "data_folder_out": str(BROKER_DIR / "messages"),
        "control_folder": str(BROKER_DIR / "control"),
        "polling_interval": 0.2,
    }
)
# Counts that limit rates, and figures that are slow to count: losing them loses nothing.
CACHES = {
    "default": (
        {
            "BACKEND": "config.caching.SteadyRedisCache",
            "LOCATION": REDIS_URL,
            # A broker that hangs must not hold up a page.
            "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
        }
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "config.celery:Dispatching"

# E-mail to staff and workers. Without a server nothing is sent: what staff are told stands on the home page,
# and workers are not asked for an address. On one machine it can be tried: what workers get becomes files.
EMAIL_HOST = ""
EMAIL_FILE_PATH = DATA_DIR / "emails"
MARKETPLACE_EMAILS_ARE_FILES = (
    EMBEDDED and is_on_loopback(MARKETPLACE_URL) and not env.str("CROWD_EMAIL_URL", "")
)
EMAIL_BACKEND = (
    f"django.core.mail.backends.{'filebased' if MARKETPLACE_EMAILS_ARE_FILES else 'dummy'}.EmailBackend"
)
if env.str("CROWD_EMAIL_URL", ""):
    vars().update(read_mail_server(env.str("CROWD_EMAIL_URL")))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("CROWD_EMAIL_FROM", f"crowd@{urlsplit(PUBLIC_URL).hostname}")
MARKETPLACE_EMAIL_FROM = env.str("CROWD_EMAIL_FROM", f"crowd@{urlsplit(MARKETPLACE_URL).hostname}")

# REST.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "hits.api.authentication.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["hits.api.parsing.PlainJSON"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_THROTTLE_CLASSES": ["hits.api.throttling.ByToken"],
    "DEFAULT_THROTTLE_RATES": {"token": "600/min"},
    "DEFAULT_SCHEMA_CLASS": "hits.api.schema.Schema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "hits.api.errors.answer_error",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Crowd",
    "VERSION": "0.1.0",
    "DESCRIPTION": "Ids are public ids. A row that you may not see is reported as missing (404). A broken "
    "rule is a 409 with a code and words that say what to do.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "ENUM_NAME_OVERRIDES": {
        f"{model}{field}": f"hits.models.{model}.{choices}"
        for model, field, choices in (
            ("Assignment", "Status", "Status"),
            ("Batch", "Status", "Status"),
            ("Block", "Kind", "Kind"),
            ("Block", "Status", "Status"),
            ("Bonus", "Status", "Status"),
            ("Decision", "Kind", "Kind"),
            ("Decision", "Status", "Status"),
            ("HIT", "Status", "Status"),
            ("LedgerEntry", "Book", "Book"),
        )
    },
}

# The rooms' own.
MARKETPLACE_COOKIES = _cookies(MARKETPLACE_URL)
PLAY_COOKIES = _cookies(PLAY_URL)
MARKETPLACE_CONTROL_KEY = env.str("CROWD_MARKETPLACE_CONTROL_KEY", "")
MARKETPLACE_FEES = env.str("CROWD_MARKETPLACE_FEES", "none")
MARKETPLACE_OPERATOR = env.str("CROWD_MARKETPLACE_OPERATOR", "").strip()
MARKETPLACE_CONTACT = env.str("CROWD_MARKETPLACE_CONTACT", "").strip()
_registration = read_choice(
    os.environ, "CROWD_MARKETPLACE_OPEN_REGISTRATION", choices=("false", "approval", "true")
)
MARKETPLACE_OPEN_REGISTRATION = _registration != "false"
MARKETPLACE_REGISTRATIONS_WAIT = _registration == "approval"
MARKETPLACE_KEY_RATE = read_rate(os.environ, "CROWD_MARKETPLACE_KEY_RATE", default=250)
MARKETPLACE_WORKER_RATE = read_rate(os.environ, "CROWD_MARKETPLACE_WORKER_RATE", default=20)
MARKETPLACE_SQS_ACCESS_KEY_ID = env.str("CROWD_MARKETPLACE_SQS_ACCESS_KEY_ID", "")
MARKETPLACE_SQS_SECRET_ACCESS_KEY = env.str("CROWD_MARKETPLACE_SQS_SECRET_ACCESS_KEY", "")
RELEASES_BUCKET = env.str("CROWD_RELEASES_BUCKET", "")
RELEASES_ENDPOINT_URL = (
    _site("CROWD_RELEASES_ENDPOINT_URL", "") if env.str("CROWD_RELEASES_ENDPOINT_URL", "") else ""
)
refuse_other_schemes(os.environ, "CROWD_ERRORS_DSN", schemes=("http", "https"))
ERRORS_DSN = env.str("CROWD_ERRORS_DSN", "")
HEARTBEAT = env.str("CROWD_HEARTBEAT", "")
METRICS_TOKEN = read_token(os.environ, "CROWD_METRICS_TOKEN")
BACKUP_ENDPOINT_URL = (
    _site("CROWD_BACKUP_ENDPOINT_URL", "") if env.str("CROWD_BACKUP_ENDPOINT_URL", "") else ""
)
BACKUP_RECIPIENTS = [name.strip() for name in env.list("CROWD_BACKUP_RECIPIENTS", default=[]) if name.strip()]
BACKUP_KEY_FILE = env.str("CROWD_BACKUP_KEY_FILE", "")
ALLOW_AMAZON = read_flag(os.environ, "CROWD_ALLOW_AMAZON")
SENDERS = read_rate(os.environ, "CROWD_SENDERS", default=4) or 1
FETCH_PRIVATE = read_flag(os.environ, "CROWD_FETCH_PRIVATE")
SURVEY_S = read_rate(os.environ, "CROWD_SURVEY_S", default=600)
RIVAL = env.str("CROWD_RIVAL", "minilm")
VOCABULARY = read_rate(os.environ, "CROWD_VOCABULARY", default=60_000)
RIVAL_DEADLINE_S = read_rate(os.environ, "CROWD_RIVAL_DEADLINE_S", default=10) or 10
WEIGHTS_DIR = Path(env.str("CROWD_WEIGHTS_DIR", str(DATA_DIR / "weights"))).resolve()
FIRST_ACCOUNT = {
    "name": env.str("CROWD_ACCOUNT_NAME", ""),
    "environment": env.str("CROWD_ACCOUNT_ENVIRONMENT", "marketplace"),
    "endpoint": env.str("CROWD_ACCOUNT_ENDPOINT", ""),
    "worker_site": env.str("CROWD_ACCOUNT_WORKER_SITE", ""),
    "access_key_id": env.str("CROWD_ACCOUNT_ACCESS_KEY_ID", ""),
    "secret_access_key": env.str("CROWD_ACCOUNT_SECRET_ACCESS_KEY", ""),
    "ticket_key": env.str("CROWD_ACCOUNT_TICKET_KEY", ""),
}
if is_amazon(FIRST_ACCOUNT["endpoint"]) and not ALLOW_AMAZON:
    raise ImproperlyConfigured(
        "CROWD_ACCOUNT_ENDPOINT is Amazon's own service and may cost real money. "
        "Set CROWD_ALLOW_AMAZON=true if that is what you want."
    )

LOGGING_CONFIG = None
configure_logs(human=DEBUG)
