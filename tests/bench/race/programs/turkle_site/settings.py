"""The choices of its guide for production: PostgreSQL, gunicorn, static files by WhiteNoise, no proxy.

The environment names the database and the folder of the static files.
"""

import os
from urllib.parse import urlsplit

_database = urlsplit(os.environ["DATABASE_URL"])

DEBUG = False
SECRET_KEY = "of a scratch site"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "turkle_site.urls"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = True
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": _database.path.removeprefix("/"),
        "USER": _database.username,
        "PASSWORD": _database.password or "",
        "HOST": _database.hostname,
        "PORT": _database.port or 5432,
    }
}
INSTALLED_APPS = [
    *(f"django.contrib.{name}" for name in ("auth", "contenttypes", "sessions", "messages", "staticfiles")),
    "turkle",
    "django.contrib.admin",
    "rest_framework",
    "rest_framework.authtoken",
    "turkle.api",
    "guardian",
    "djaa_list_filter2",
]
MIDDLEWARE = [
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.request",
                "turkle.utils.turkle_vars",
            ]
        },
    }
]
STATIC_URL = "/static/"
STATIC_ROOT = os.environ["STATIC_ROOT"]
X_FRAME_OPTIONS = "SAMEORIGIN"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "index"
TURKLE_AUTO_ACCEPT_DEFAULT = False  # a worker comes back to the list after each task
