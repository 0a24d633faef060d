from django.urls import path

from crowd.whoops.workspace import pages, partner_pages, sending_pages

app_name = "workspace"
urlpatterns = [
    path("<str:token>/", pages.home, name="home"),
    path("<str:token>/guidelines/", pages.guidelines, name="guidelines"),
    path("<str:token>/new/", sending_pages.new, name="new"),
    path("<str:token>/<uuid:image_id>/", pages.one_image, name="image"),
    path("<str:token>/<uuid:image_id>/again/", sending_pages.again, name="again"),
    path("<str:token>/<uuid:image_id>/withdraw/", sending_pages.withdraw, name="withdraw"),
    path("<str:token>/<uuid:image_id>/<str:kind>/", partner_pages.partner, name="partner"),
    path("<str:token>/<uuid:image_id>/<str:kind>/remove/", partner_pages.remove, name="remove_partner"),
]
