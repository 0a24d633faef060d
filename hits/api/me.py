"""The view that shows who the user is and what they may do."""

from typing import Any

from rest_framework import serializers, viewsets
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.identity.api_tokens import Scope
from hits.identity.models.api_tokens import ApiToken


class MeSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices))
    permissions = serializers.ListField(child=serializers.CharField())
    token = serializers.CharField(allow_null=True, help_text="What the token is called.")
    expires_at = serializers.DateTimeField(allow_null=True)


class MeView(viewsets.ViewSet):
    permission_classes = (IsAuthenticated,)
    serializer_class = MeSerializer

    def list(self, request: Request) -> Response:
        """Show who I am, and what I may do here."""
        user = user_of(request)
        token = request.auth if isinstance(request.auth, ApiToken) else None
        told = {
            "username": user.username,
            "roles": list(user.groups.order_by("name").values_list("name", flat=True)),
            "scopes": token.scopes if token else Scope.values,
            "permissions": sorted(name for name in user.get_all_permissions() if name.startswith("hits.")),
            "token": token.name if token else None,
            "expires_at": token.expires_at if token else None,
        }
        return Response(MeSerializer(told).data)
