from rest_framework.routers import SimpleRouter

from crowd.winogavil.releases.api.views import ReleaseViewSet

router = SimpleRouter()
router.register("releases", ReleaseViewSet)

urlpatterns = router.urls
