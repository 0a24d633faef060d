from rest_framework.routers import SimpleRouter

from crowd.winogavil.api.annotation_rows import AnnotationDrawViewSet, AnnotationViewSet
from crowd.winogavil.api.association_rows import (
    AssociationViewSet,
    CueReportViewSet,
    PictureSetViewSet,
    SolutionViewSet,
)
from crowd.winogavil.api.game_settings import AssociationGameViewSet
from crowd.winogavil.api.web_games import StandingViewSet, WebGameViewSet

router = SimpleRouter()
router.register("association-games", AssociationGameViewSet, basename="association-game")
router.register("picture-sets", PictureSetViewSet, basename="picture-set")
router.register("associations", AssociationViewSet, basename="association")
router.register("solutions", SolutionViewSet, basename="solution")
router.register("cue-reports", CueReportViewSet, basename="cue-report")
router.register("annotation-draws", AnnotationDrawViewSet, basename="annotation-draw")
router.register("annotations", AnnotationViewSet, basename="annotation")
router.register("web-games", WebGameViewSet, basename="web-game")
router.register("player-standings", StandingViewSet, basename="player-standing")

urlpatterns = router.urls
