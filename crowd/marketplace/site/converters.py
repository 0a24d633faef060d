class ExternalId:
    """The ids that the API gives out. Anything else in an address is no page."""

    regex = "[A-Za-z0-9_-]{1,64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
