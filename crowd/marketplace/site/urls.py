from django.urls import path, register_converter

from crowd.marketplace.site import (
    notifications,
    pages,
    qualification_pages,
    qualification_submit,
    records,
    settings_pages,
    sign_in_views,
    submit,
)
from crowd.marketplace.site.converters import ExternalId

app_name = "marketplace"
register_converter(ExternalId, "id")
urlpatterns = [
    path("", sign_in_views.root, name="list"),
    path("invitation/<str:token>/", sign_in_views.invitation, name="invitation"),
    path("sign-in/", sign_in_views.sign_in, name="sign_in"),
    path("sign-out/", sign_in_views.sign_out, name="sign_out"),
    path("register/", sign_in_views.register, name="register"),
    path("groups/<id:group_id>/", pages.preview, name="preview"),
    path("groups/<id:group_id>/accept/", pages.accept, name="accept"),
    path("work/", pages.queue, name="queue"),
    path("work/<id:assignment_id>/", pages.work, name="work"),
    path("work/<id:assignment_id>/return/", pages.return_work, name="return"),
    path("history/", records.history, name="history"),
    path("history/export/", records.export, name="export"),
    path("earnings/", records.earnings, name="earnings"),
    path("messages/", records.messages, name="messages"),
    path("messages/<int:number>/", records.message, name="message"),
    path("settings/", settings_pages.settings, name="settings"),
    path("settings/about/", settings_pages.about_me, name="about_me"),
    path("settings/password/", settings_pages.password, name="password"),
    path("settings/sessions/end/", settings_pages.sign_out_everywhere, name="sign_out_everywhere"),
    path("settings/erasure/", settings_pages.erasure, name="erasure"),
    path("settings/erasure/withdraw/", settings_pages.withdraw_erasure, name="withdraw_erasure"),
    path("qualifications/", qualification_pages.mine, name="qualifications"),
    path("qualifications/find/", qualification_pages.find, name="qualifications_find"),
    path("qualifications/<id:type_id>/", qualification_pages.one, name="qualification"),
    path("qualifications/<id:type_id>/ask/", qualification_pages.ask, name="qualification_ask"),
    path(
        "qualifications/<id:type_id>/withdraw/",
        qualification_pages.withdraw,
        name="qualification_withdraw",
    ),
    path("qualifications/<id:type_id>/begin/", qualification_pages.begin, name="qualification_begin"),
    path("qualifications/<id:type_id>/test/", qualification_pages.test, name="qualification_test"),
    path("submit/test/<str:signed>", qualification_submit.submit, name="qualification_submit"),
    path("submit/<str:signed>/mturk/externalSubmit", submit.external_submit, name="submit"),
    path("mturk/preview", pages.preview_by_group_id),
    path("mturk/externalSubmit", submit.fixed_submit),
    path("notifications/certificate-<int:number>.pem", notifications.certificate, name="certificate"),
    path("notifications/confirm/<slug:token>/", notifications.confirm, name="confirm_subscription"),
    path("notifications/unsubscribe/", notifications.unsubscribe, name="unsubscribe"),
    path("health/", sign_in_views.health, name="health"),
]
