from rest_framework.routers import SimpleRouter

from crowd.winogavil.releases.api.prediction_views import PredictionViewSet, ReleasePredictionViewSet

router = SimpleRouter()
router.register("releases", ReleasePredictionViewSet, basename="release-predictions")
router.register("predictions", PredictionViewSet, basename="prediction")

urlpatterns = router.urls
