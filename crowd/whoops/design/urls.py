from django.urls import path

from crowd.whoops.design.pages import image_pages, partner_pages, submission_pages

app_name = "workspace"
urlpatterns = [
    path("<str:token>/", image_pages.home, name="home"),
    path("<str:token>/guidelines/", image_pages.guidelines, name="guidelines"),
    path("<str:token>/new/", submission_pages.new, name="new"),
    path("<str:token>/<uuid:image_id>/", image_pages.one_image, name="image"),
    path("<str:token>/<uuid:image_id>/again/", submission_pages.again, name="again"),
    path("<str:token>/<uuid:image_id>/withdraw/", submission_pages.withdraw, name="withdraw"),
    path("<str:token>/<uuid:image_id>/<str:kind>/", partner_pages.partner, name="partner"),
    path("<str:token>/<uuid:image_id>/<str:kind>/remove/", partner_pages.remove, name="remove_partner"),
]
