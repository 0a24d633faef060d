from django.urls import path

from crowd.pictures import picture_views

app_name = "pictures"
urlpatterns = [
    path("<slug:key>/", picture_views.picture, name="picture"),
    path("<slug:key>/<int:size>/", picture_views.thumbnail, name="thumbnail"),
]
