from functools import lru_cache

from django.conf import settings

from hits.gateway.boto import BotoProvider, make_client
from hits.gateway.interface import Provider
from hits.models import Account


def provider_for(account: Account) -> Provider:
    """The provider behind an account. Clients are kept per credentials: making one takes a while."""
    return _boto_provider(
        endpoint=account.endpoint,
        access_key_id=account.access_key_id,
        secret_access_key=account.secret_access_key,
        allow_amazon=settings.ALLOW_AMAZON,
    )


@lru_cache(maxsize=32)
def _boto_provider(
    *, endpoint: str, access_key_id: str, secret_access_key: str, allow_amazon: bool
) -> Provider:
    return BotoProvider(
        make_client(
            endpoint=endpoint,
            access_key_id=access_key_id,
            secret_access_key=secret_access_key,
            allow_amazon=allow_amazon,
        )
    )
