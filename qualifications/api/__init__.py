"""Gates, what workers did at them and hold of them, consent and association lists, for notebooks."""

from rest_framework.routers import SimpleRouter

from qualifications.api.consent_views import AssociationListViewSet, ConsentTextViewSet, WithdrawalViewSet
from qualifications.api.gate_views import GateTypeViewSet, GateViewSet
from qualifications.api.holding_views import AttemptViewSet, HoldingViewSet
from qualifications.api.people_counts import PeopleCountsViewSet

router = SimpleRouter()
router.register("gates", GateViewSet, basename="gate")
router.register("gate-types", GateTypeViewSet, basename="gate-type")
router.register("attempts", AttemptViewSet, basename="attempt")
router.register("holdings", HoldingViewSet, basename="holding")
router.register("consent-texts", ConsentTextViewSet, basename="consent-text")
router.register("people-counts", PeopleCountsViewSet, basename="people-count")
router.register("withdrawals", WithdrawalViewSet, basename="withdrawal")
router.register("association-lists", AssociationListViewSet, basename="association-list")

urlpatterns = router.urls
