"""Checks of our rows when a copy was put into scratch databases: books, counts, and what is sealed."""

from collections.abc import Iterator

from cryptography.fernet import InvalidToken
from django.apps import apps
from django.db.models import Model, QuerySet

from hits.common.health.findings import Finding
from hits.core.crypto import unseal
from hits.core.models.fields import EncryptedTextField
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.queries import checks_of, entries_of, movements, statement_of
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

COUNTED = (Study, HIT, Assignment, Bonus, LedgerEntry)


def examine_copied_rows() -> Iterator[Finding]:
    counts = [f"{model.objects.count()} {model._meta.verbose_name_plural}" for model in COUNTED]
    yield Finding(name="our rows", ok=True, saw=", ".join(counts))
    yield _examine_books()
    yield _examine_sealed()


def _examine_books() -> Finding:
    wrong = [
        f"{study}: {check.words}, but {check.ours} stands against {check.theirs}"
        for study in Study.objects.all()
        for check in checks_of(study, statement_of(movements(entries_of([study]))))
        if not check.holds
    ]
    saw = wrong[0] if wrong else f"the books of {Study.objects.count()} studies sum to zero"
    return Finding(name="our ledger", ok=not wrong, saw=saw)


def _examine_sealed() -> Finding:
    columns = [
        (model, field.attname)
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, EncryptedTextField)
    ]
    opened = 0
    for model, column in columns:
        try:
            opened += _open_all(model, column)
        except InvalidToken:
            saw = f"{column} of {model._meta.verbose_name_plural} was sealed with other keys than these"
            return Finding(name="our sealed columns", ok=False, saw=saw)
    return Finding(
        name="our sealed columns", ok=True, saw=f"{opened} values in {len(columns)} columns opened"
    )


def _open_all(model: type[Model], column: str) -> int:
    """Open every value, and return how many there are. Raises InvalidToken."""
    rows: QuerySet[Model] = QuerySet(model)
    filled = rows.exclude(**{column: ""}).values_list(column, flat=True)
    return sum(bool(unseal(str(sealed))) for sealed in filled.iterator() if sealed)
