from rest_framework.routers import SimpleRouter

from crowd.releases.api.views import ReleaseViewSet

router = SimpleRouter()
router.register("releases", ReleaseViewSet)

urlpatterns = router.urls
