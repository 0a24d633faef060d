from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, ValidationError

from hits.providers.models.accounts import Account

NEEDED = ("endpoint", "access_key_id", "secret_access_key")
MOST_CALLS_A_SECOND = 200  # as the account's page allows


def seed_first_account(*, values: Mapping[str, str]) -> Account | None:
    """Create the first account from the environment. Later ones, and all changes, are made in the admin."""
    if not values["name"] or Account.objects.connected().exists():
        return None
    for field in NEEDED:
        if not values[field]:
            raise ImproperlyConfigured(
                f"CROWD_ACCOUNT_NAME is set, so CROWD_ACCOUNT_{field.upper()} must be set too."
            )
    if values["environment"] not in Account.Environment.values:
        raise ImproperlyConfigured(
            f"CROWD_ACCOUNT_ENVIRONMENT must be one of {', '.join(Account.Environment.values)}."
        )
    account = Account(**{**values, "worker_site": values["worker_site"] or values["endpoint"]})
    if _site(account.endpoint) == _site(settings.MARKETPLACE_URL):
        account.send_rate = own_rate()
    try:
        account.full_clean()
    except ValidationError as error:
        raise ImproperlyConfigured(f"The CROWD_ACCOUNT_ settings: {error}") from error
    account.save()
    return account


def own_rate() -> int:
    """Calls a second that our own marketplace takes from an account: four fifths of what a key may make.

    The marketplace counts in windows of ten seconds, in which an account that has been idle makes up to a
    tenth more: nothing of it is refused.
    """
    if settings.MARKETPLACE_KEY_RATE == 0:
        return MOST_CALLS_A_SECOND
    return max(1, min(MOST_CALLS_A_SECOND, settings.MARKETPLACE_KEY_RATE * 4 // 5))


def _site(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.lower()
