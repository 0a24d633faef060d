from functools import lru_cache

from cryptography.fernet import InvalidToken
from django.conf import settings

from hits.core.errors import ProviderRefused
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.pacing import Line
from hits.providers.models.accounts import Account

# What this process speaks to instead of any endpoint.
_stand_ins: list[Provider] = []


def speak_only_to(provider: Provider) -> None:
    """Have this process reach no endpoint any more. For a process that only rehearses."""
    _stand_ins[:] = [provider]


def provider_for(account: Account, *, quick: bool = False) -> Provider:
    """Return the provider of an account. Clients are kept per credentials: making one takes a while.

    A quick one is for a page that a person waits for: it asks once, out of turn, and not for long.
    Raises ProviderRefused if the account has no provider, or its secret cannot be decrypted.
    """
    if not account.can.is_connected:
        raise ProviderRefused(f"{account} has no provider.", code="NoProvider")
    if _stand_ins:
        return _stand_ins[-1]
    try:
        secret_access_key = account.secret_access_key
    except InvalidToken:
        raise ProviderRefused(
            "The account's secret key cannot be decrypted: the key for that is gone. "
            "Enter it again on the account's page.",
            code="Sealed",
        ) from None
    if account.kind == Account.Kind.PROLIFIC:
        return _prolific_provider(
            endpoint=account.endpoint,
            token=secret_access_key,
            workspace_id=account.workspace_id,
            project_id=account.project_id,
            account_id=account.pk,
            rate=account.send_rate,
            quick=quick,
        )
    return _boto_provider(
        endpoint=account.endpoint,
        access_key_id=account.access_key_id,
        secret_access_key=secret_access_key,
        allow_amazon=settings.ALLOW_AMAZON,
        account_id=account.pk,
        rate=account.send_rate,
        quick=quick,
    )


@lru_cache(maxsize=32)
def _boto_provider(
    *,
    endpoint: str,
    access_key_id: str,
    secret_access_key: str,
    allow_amazon: bool,
    account_id: int,
    rate: int,
    quick: bool,
) -> Provider:
    from hits.providers.gateway.boto import BotoProvider, make_client  # noqa: PLC0415

    return BotoProvider(
        make_client(
            endpoint=endpoint,
            access_key_id=access_key_id,
            secret_access_key=secret_access_key,
            allow_amazon=allow_amazon,
            quick=quick,
        ),
        line=None if quick else Line(account_id=account_id, rate=rate),
        account_id=account_id,
    )


@lru_cache(maxsize=32)
def _prolific_provider(
    *,
    endpoint: str,
    token: str,
    workspace_id: str,
    project_id: str,
    account_id: int,
    rate: int,
    quick: bool,
) -> Provider:
    from hits.providers.prolific.prolific_client import ProlificClient  # noqa: PLC0415
    from hits.providers.prolific.prolific_provider import ProlificProvider  # noqa: PLC0415

    client = ProlificClient(
        endpoint=endpoint,
        token=token,
        account_id=account_id,
        line=None if quick else Line(account_id=account_id, rate=rate),
    )
    return ProlificProvider(client, workspace_id=workspace_id, project_id=project_id)
