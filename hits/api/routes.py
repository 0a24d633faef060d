"""The addresses of all resources.

Not in the package's __init__: the settings import modules of the package before all models are loaded.
"""

from rest_framework.routers import SimpleRouter

from hits.api.appeal_answers import AppealViewSet
from hits.api.assignments import AssignmentViewSet
from hits.api.batches import ItemsViewSet
from hits.api.batches.batch_views import BatchViewSet
from hits.api.block_changes import WorkerBlockViewSet
from hits.api.hits import HITViewSet
from hits.api.me import MeView
from hits.api.money import AccountViewSet, BonusViewSet
from hits.api.people.messages import MessageViewSet
from hits.api.people.workers import WorkerViewSet
from hits.api.studies import LedgerViewSet, StudyViewSet

router = SimpleRouter()
router.register("me", MeView, basename="me")
router.register("studies", StudyViewSet)
router.register("accounts", AccountViewSet)
router.register("batches", BatchViewSet, basename="batch")
router.register("batches", ItemsViewSet, basename="batch-items")
router.register("hits", HITViewSet)
router.register("assignments", AssignmentViewSet)
router.register("appeals", AppealViewSet, basename="appeal")
router.register("workers", WorkerViewSet)
router.register("blocks", WorkerBlockViewSet, basename="block")
router.register("messages", MessageViewSet)
router.register("bonuses", BonusViewSet)
router.register("ledger", LedgerViewSet)
