from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import SimpleRouter

from hits import api

router = SimpleRouter()
router.register("studies", api.StudyViewSet)
router.register("batches", api.BatchViewSet, basename="batch")

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("", include(router.urls)),
]
