from django.urls import path

from crowd.pictures import pages

app_name = "pictures"
urlpatterns = [
    path("<slug:key>/", pages.picture, name="picture"),
    path("<slug:key>/<int:size>/", pages.thumbnail, name="thumbnail"),
]
