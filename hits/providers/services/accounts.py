from collections.abc import Mapping

from django.core.exceptions import ImproperlyConfigured, ValidationError

from hits.providers.models.accounts import Account

NEEDED = ("endpoint", "access_key_id", "secret_access_key")


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
    try:
        account.full_clean()
    except ValidationError as error:
        raise ImproperlyConfigured(f"The CROWD_ACCOUNT_ settings: {error}") from error
    account.save()
    return account
