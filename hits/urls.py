from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from hits import inbox
from hits.api.docs import show_docs
from hits.api.routes import router

urlpatterns = [
    path("events/", include(inbox.urlpatterns)),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", show_docs, name="docs"),
    path("", include(router.urls)),
]
