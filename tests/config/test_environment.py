"""Settings fail loudly, with the variable's name. Each case is a fresh process, as in real life."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import load_keys, make_keys, read_mail_server, read_second_factor, refuse_unknown
from tests.config.processes import ROOT, scratch_environ


def start(tmp_path: Path, *, show: str = "s.PUBLIC_URL", **environ: str) -> subprocess.CompletedProcess[str]:
    """Load the settings in a process that knows no other variables of the product than these."""
    return subprocess.run(
        [sys.executable, "-c", f"import config.settings as s; print({show})"],
        cwd=ROOT,
        env=scratch_environ(tmp_path, **environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("environ", "backend"),
    [
        ({}, "filebased"),
        ({"CROWD_MARKETPLACE_URL": "https://market.example.org"}, "dummy"),
        ({"CROWD_EMAIL_URL": "smtp://mail.example.org"}, "smtp"),
    ],
)
def test_e_mails_are_files_only_where_nobody_else_can_come(
    tmp_path: Path, environ: dict[str, str], backend: str
) -> None:
    started = start(tmp_path, show="s.EMAIL_BACKEND, s.EMAIL_FILE_PATH", **environ)

    folder = tmp_path / "emails"
    assert started.stdout.strip() == f"django.core.mail.backends.{backend}.EmailBackend {folder}"


@pytest.mark.parametrize(
    ("value", "shown"), [("false", "False False"), ("approval", "True True"), ("true", "True False")]
)
def test_registration_is_closed_open_or_waits(tmp_path: Path, value: str, shown: str) -> None:
    started = start(
        tmp_path,
        show="s.MARKETPLACE_OPEN_REGISTRATION, s.MARKETPLACE_REGISTRATIONS_WAIT",
        CROWD_MARKETPLACE_OPEN_REGISTRATION=value,
    )

    assert started.stdout.strip() == shown


@pytest.mark.parametrize(
    ("asked", "options"),
    [("", "-c jit=off"), ("?options=-c%20work_mem%3D16MB", "-c work_mem=16MB")],
)
def test_postgresql_compiles_no_queries_unless_the_address_has_options(
    tmp_path: Path, asked: str, options: str
) -> None:
    started = start(
        tmp_path,
        show="s.DATABASES['default']['OPTIONS']['options']",
        DATABASE_URL=f"postgres://crowd@127.0.0.1/crowd{asked}",
        **{name: ",".join(values) for name, values in make_keys().items()},
    )

    assert started.stdout.strip() == options


def test_settings_load_without_any_variable(tmp_path: Path) -> None:
    started = start(tmp_path)

    assert (started.returncode, started.stdout.strip()) == (0, "http://127.0.0.1:8000")
    assert (tmp_path / "keys.json").stat().st_mode & 0o077 == 0


def test_marketplace_alone_loads_no_other_room_and_answers_for_no_other_site(tmp_path: Path) -> None:
    script = """
import sys, django
django.setup()
from django.conf import settings
print([name for name in ("hits.models", "celery", "rest_framework", "numpy") if name in sys.modules])
print(settings.ALLOWED_HOSTS[:2], len(settings.ALLOWED_HOSTS) - len(settings.AMAZON_HOSTS))
print(settings.SECURE, settings.CSRF_COOKIE_SECURE)
"""
    environ = {
        "CROWD_MARKETPLACE_ALONE": "true",
        "CROWD_MARKETPLACE_URL": "https://market.example.org",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }

    loaded = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=scratch_environ(tmp_path, **environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert loaded.stdout.splitlines() == [
        "[]",
        "['market.example.org', '.market.example.org'] 2",
        "True True",
    ]


def cookies_of(folder: Path, **environ: str) -> list[str]:
    """Names of the cookies that the sites of an installation set."""
    script = """
import django
django.setup()
from django.conf import settings
from crowd.marketplace.desk.session import COOKIE as operator
from crowd.marketplace.site.session import COOKIE as worker
from crowd.winogavil.play.site.session import COOKIE as player
print(settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, operator, worker, player)
"""
    variables = scratch_environ(folder, DJANGO_SETTINGS_MODULE="config.settings", **environ)
    command = [sys.executable, "-c", script]
    loaded = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    return loaded.stdout.split()


def test_two_instances_of_one_machine_do_not_share_a_cookie(tmp_path: Path) -> None:
    first, second = (
        cookies_of(
            tmp_path,
            CROWD_PUBLIC_URL=f"http://127.0.0.1:{port}",
            CROWD_MARKETPLACE_URL=f"http://localhost:{port}",
        )
        for port in (22000, 22010)
    )

    assert len({*first, *second}) == 2 * len(first) == 10


def test_cookies_of_secure_sites_can_be_set_by_no_page_below_their_hosts(tmp_path: Path) -> None:
    names = cookies_of(
        tmp_path,
        CROWD_PUBLIC_URL="https://crowd.example.org",
        CROWD_MARKETPLACE_URL="https://market.example.org",
    )

    assert names == [
        f"__Host-{name}"
        for name in ("sessionid", "csrftoken", "operator_session", "worker_session", "player_session")
    ]


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"CROWD_PUBLIC_ULR": "x"}, "Unknown setting CROWD_PUBLIC_ULR. Did you mean CROWD_PUBLIC_URL?"),
        (
            {"CROWD_ACCOUNT_ENDPOINT": "https://mturk-requester.us-east-1.amazonaws.com."},
            "CROWD_ACCOUNT_ENDPOINT is Amazon's own service",
        ),
        ({"CROWD_PUBLIC_URL": "nonsense"}, "CROWD_PUBLIC_URL must be an http or https address"),
        (
            {"CROWD_MARKETPLACE_OPEN_REGISTRATION": "yes"},
            "CROWD_MARKETPLACE_OPEN_REGISTRATION must be one of false, approval, true; it is 'yes'.",
        ),
        ({"DATABASE_URL": "postgres://h/d"}, "CROWD_FIELD_KEYS is not set"),
        ({"CROWD_FIELD_KEYS": "short"}, "CROWD_FIELD_KEYS holds something that is not a Fernet key"),
        ({"CROWD_DEBUG": "perhaps"}, "CROWD_DEBUG must be true or false"),
        ({"DATABASE_URL": "nonsense"}, "DATABASE_URL must begin with postgres://"),
        ({"DATABASE_URL": "mysql://h/d"}, "DATABASE_URL must begin with postgres://"),
        ({"REDIS_URL": "127.0.0.1:6379"}, "REDIS_URL must begin with redis://"),
        ({"CROWD_SECRET_KEY_FILE": "/nowhere/key"}, "CROWD_SECRET_KEY_FILE names /nowhere/key, which"),
        ({"CROWD_SECRET_KEY_FILE": "/k", "CROWD_SECRET_KEY": "k"}, "Set CROWD_SECRET_KEY or CROWD_SECRET"),
        (
            {"CROWD_ACCOUNT_ACCESS_KEY_ID": "KEY"},
            "CROWD_ACCOUNT_ACCESS_KEY_ID is set, but CROWD_ACCOUNT_SECRET_ACCESS_KEY is not",
        ),
        ({"CROWD_RELEASES_ENDPOINT_URL": "http://h"}, "CROWD_RELEASES_BUCKET is not"),
        ({"CROWD_MEDIA_BY_PROXY": "media"}, "CROWD_MEDIA_BY_PROXY must begin and end with a slash"),
        (
            {"CROWD_EMAIL_URL": "mail.example.org:25"},
            "CROWD_EMAIL_URL must be an address such as smtp+tls://",
        ),
    ],
)
def test_bad_setting_is_named(tmp_path: Path, environ: dict[str, str], words: str) -> None:
    started = start(tmp_path, **environ)

    assert started.returncode != 0
    assert words in started.stderr


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "smtp+tls://ada:p%40ss%2Fw@mail.example.org",
            ("mail.example.org", 587, "ada", "p@ss/w", True, False),
        ),
        ("smtp+ssl://mail.example.org", ("mail.example.org", 465, "", "", False, True)),
        ("smtp://localhost:2525", ("localhost", 2525, "", "", False, False)),
    ],
)
def test_a_mail_server_is_read_from_its_address(url: str, expected: tuple[object, ...]) -> None:
    found = read_mail_server(url)

    names = ("HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_TLS", "USE_SSL")
    assert tuple(found[f"EMAIL_{name}"] for name in names) == expected


def test_a_wrong_mail_server_is_refused_without_its_password() -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        read_mail_server("smpt://ada:secret-word@mail.example.org")

    assert "secret-word" not in str(refused.value)


def test_refuse_unknown_points_to_the_list_where_nothing_is_near() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"docs/settings\.md"):
        refuse_unknown({"CROWD_XYZZY_PLUGH_FROTZ": "1"})


def test_embedded_keys_are_made_once_and_kept(tmp_path: Path) -> None:
    first = load_keys({}, data_dir=tmp_path, embedded=True)
    second = load_keys({}, data_dir=tmp_path, embedded=True)

    assert first == second
    assert len({key for keys in first.values() for key in keys}) == len(first)


def test_keys_of_the_environment_are_read_newest_first(tmp_path: Path) -> None:
    old, new = make_keys(), make_keys()
    environ = {name: f"{new[name][0]}, {old[name][0]}" for name in new}

    keys = load_keys(environ, data_dir=tmp_path, embedded=False)

    assert keys == {name: [new[name][0], old[name][0]] for name in new}


def test_a_setting_may_stand_in_a_file(tmp_path: Path) -> None:
    """The file ends in a line end, as a shell writes it. A child process finds the setting itself."""
    secret = tmp_path / "secret_key"
    secret.write_text("from a file\n")

    show = "s.SECRET_KEY, s.os.environ['CROWD_SECRET_KEY'], s.os.environ.get('CROWD_SECRET_KEY_FILE')"
    started = start(tmp_path, show=show, CROWD_SECRET_KEY_FILE=str(secret))

    assert started.stdout.strip() == "from a file from a file None"


def test_address_of_a_server_may_stand_in_a_file(tmp_path: Path) -> None:
    address = tmp_path / "redis"
    address.write_text("redis://:word@10.0.0.1:6379/0")

    started = start(tmp_path, show="s.CELERY_BROKER_URL", REDIS_URL_FILE=str(address))

    assert started.stdout.strip() == "redis://:word@10.0.0.1:6379/0"


def test_password_in_a_wrong_address_is_not_repeated(tmp_path: Path) -> None:
    started = start(tmp_path, DATABASE_URL="mysql://ada:secret-word@h/d")

    assert "DATABASE_URL must begin with" in started.stderr
    assert "secret-word" not in started.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("environ", "embedded", "expected"),
    [
        ({}, True, "off"),
        ({}, False, "payments"),
        ({"CROWD_SECOND_FACTOR": "staff"}, True, "staff"),
        ({"CROWD_SECOND_FACTOR": "off"}, False, "off"),
    ],
)
def test_a_second_factor_is_wanted_of_payments_staff_on_a_server(
    environ: dict[str, str], embedded: bool, expected: str
) -> None:
    assert read_second_factor(environ, embedded=embedded) == expected


def test_a_misspelt_policy_is_no_lax_one() -> None:
    with pytest.raises(ImproperlyConfigured, match="CROWD_SECOND_FACTOR must be one of"):
        read_second_factor({"CROWD_SECOND_FACTOR": "payment"}, embedded=False)


@pytest.mark.needs_postgres
def test_deployed_form_has_nothing_that_django_would_warn_of(tmp_path: Path) -> None:
    keys = {name: values[0] for name, values in make_keys().items()}
    hosts = {"CROWD_PUBLIC_URL": "https://a.example.org", "CROWD_MARKETPLACE_URL": "https://b.example.org"}
    servers = {name: os.environ[name] for name in ("DATABASE_URL", "MARKETPLACE_DATABASE_URL")}

    checked = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=scratch_environ(tmp_path, **keys, **hosts, **servers),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (checked.returncode, checked.stderr) == (0, "")
