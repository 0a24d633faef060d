"""Every form of the admin that makes a row, with each field wrong in turn: none fails, no input is lost."""

from collections.abc import Mapping, Sequence

import pytest
from django.conf import LazySettings
from django.contrib import admin
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse

from hits.identity.models.users import User
from tests.factories import make_account, make_study, make_user
from tests.sent_forms import fill_in, find_faults, post, read_page, refused

pytestmark = pytest.mark.django_db
PASSWORD = "correct-horse-battery"
# Valid values that the kind of a field does not tell.
KNOWN: Mapping[str, Mapping[str, Sequence[str]]] = {
    "hits.Account": {
        "secret_access_key": ["secret"],
        "workspace_id": [""],
        "project_id": [""],
        "notify_address": [""],
        "endpoint": ["https://provider.example/"],
        "worker_site": ["https://workers.example/"],
    },
    "hits.Study": {"budget": ["100"], "wage_floor": ["10"]},
    "hits.User": {"password1": [PASSWORD], "password2": [PASSWORD]},
}
# What is wrong with a password is said at its second field.
SAID_AT = {"password1": "password2"}
# Fields that are not read while the items come from elsewhere.
TAKE_ALL = {"source_batch", "bonus_rules-kind", "bonus_rules-preset"}
FILES = {"pictures.Import": {"file": b"concept,url\nowl,https://pictures.example/owl.png\n"}}


@pytest.fixture(autouse=True)
def _no_sidebar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the list of all models: it is half the work of showing a page, and no part of any form."""
    monkeypatch.setattr(admin.site, "get_app_list", lambda *_, **__: [])


def with_add_pages() -> list[type[Model]]:
    admin.autodiscover()  # run by itself, nothing has loaded the pages yet
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_active=True)
    return [model for model, pages in admin.site._registry.items() if pages.has_add_permission(request)]


@pytest.fixture(autouse=True)
def _quick_hashes(settings: LazySettings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.mark.parametrize("model", with_add_pages(), ids=lambda model: model._meta.label)
def test_add_form_with_any_field_wrong_says_so_and_keeps_the_others(
    client: Client, model: type[Model]
) -> None:
    client.force_login(make_user(is_superuser=True))
    make_study()
    make_account()
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
    form = read_page(client.get(address)).form
    good = fill_in(form, KNOWN.get(model._meta.label, {}))
    files = FILES.get(model._meta.label, {})

    accepted = post(client, address, good, files)
    faults, taking = find_faults(client, address, good, form, files=files, said_at=SAID_AT)

    assert refused(accepted, form) is None, "KNOWN lacks a right value"
    assert "\n".join(faults) == ""
    assert taking <= TAKE_ALL
