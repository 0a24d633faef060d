from django.urls import include, path

from hits.api.docs import SchemaView, show_docs
from hits.api.routes import router
from hits.sync import event_posts

urlpatterns = [
    path("events/", include(event_posts.urlpatterns)),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", show_docs, name="docs"),
    path("", include(router.urls)),
]
