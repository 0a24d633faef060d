"""Caption matching for notebooks: examples, what workers say of them, and the list of tags."""

from rest_framework.routers import SimpleRouter

from crowd.winoground.api.examples import ExampleViewSet
from crowd.winoground.api.first_questions import FirstQuestionViewSet
from crowd.winoground.api.projects import (
    CaptionTagViewSet,
    PairingViewSet,
    WinogroundProjectViewSet,
)

router = SimpleRouter()
router.register("winoground/projects", WinogroundProjectViewSet, basename="winoground-project")
router.register("winoground/examples", ExampleViewSet, basename="winoground-example")
router.register("winoground/first-questions", FirstQuestionViewSet, basename="winoground-first-question")
router.register("winoground/pairings", PairingViewSet, basename="winoground-pairing")
router.register("winoground/tags", CaptionTagViewSet, basename="winoground-tag")

urlpatterns = router.urls
