from crowd.marketplace.models.money import BonusPayment, LedgerEntry
from crowd.marketplace.models.people import AccessKey, Invitation, Requester, Worker, WorkerSession
from crowd.marketplace.models.work import HIT, Assignment, HITType, RequestToken

__all__ = [
    "HIT",
    "AccessKey",
    "Assignment",
    "BonusPayment",
    "HITType",
    "Invitation",
    "LedgerEntry",
    "RequestToken",
    "Requester",
    "Worker",
    "WorkerSession",
]
