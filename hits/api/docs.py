"""The API's documentation page for people, from the same description that /api/schema/ gives to programs."""

from functools import cache
from typing import Any

from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

METHODS = ("get", "post", "patch", "delete")


class SchemaView(SpectacularAPIView):
    """The description for programs, in YAML or JSON; what goes wrong is told in JSON, as everywhere."""

    def handle_exception(self, exc: Exception) -> Response:
        answer: Response = super().handle_exception(exc)
        self.request.accepted_renderer = JSONRenderer()
        self.request.accepted_media_type = JSONRenderer.media_type
        return answer


@login_required
def show_docs(request: HttpRequest) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": "API", "groups": describe()}
    return TemplateResponse(request, "api/docs.html", context)


@cache
def describe() -> list[dict[str, Any]]:
    """Describe all operations, grouped by tag. Built once for each process: only the code can change it."""
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema: dict[str, Any] = generator.get_schema(request=None, public=True)
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                told = methods[method]
                groups.setdefault(told["tags"][0], []).append(_describe(path, method, told, schema))
    return [{"name": name, "operations": operations} for name, operations in groups.items()]


def _describe(path: str, method: str, told: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": told["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": told["summary"],
        "description": told.get("description", "").partition("\n\n")[2] or told.get("description", ""),
        "parameters": [
            {**row, "words": _words({**row["schema"], **row}, schema)}
            for row in told.get("parameters", [])
            if row["in"] != "path"
        ],
        "fields": _fields(told, schema),
    }


def _fields(told: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of the request's body."""
    content = told.get("requestBody", {}).get("content", {})
    if not content:
        return []
    shape = _resolve(next(iter(content.values()))["schema"], schema)
    required = shape.get("required", [])
    return [
        {"name": name, "required": name in required, "words": _words(field, schema)}
        for name, field in shape.get("properties", {}).items()
        if not field.get("readOnly")
    ]


def _words(field: dict[str, Any], schema: dict[str, Any]) -> str:
    parts = [_resolve(part, schema) for part in (field, *field.get("allOf", []), *field.get("oneOf", []))]
    kind = next(
        (part["format"] if "format" in part else part["type"] for part in parts if "type" in part), ""
    )
    choices = [str(choice) for part in parts for choice in part.get("enum", []) if choice]
    return ". ".join(filter(None, (kind, " | ".join(choices), field.get("description", ""))))


def _resolve(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    reference = part.get("$ref")
    if not reference:
        return part
    found: dict[str, Any] = schema["components"]["schemas"][reference.rpartition("/")[2]]
    return found
