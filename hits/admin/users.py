from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from rest_framework.authtoken.models import TokenProxy

from hits.models import User

# Its list would show every token in full; `manage.py drf_create_token NAME` makes one.
admin.site.unregister(TokenProxy)


@admin.register(User)
class UserAdmin(DjangoUserAdmin[User]):
    pass
