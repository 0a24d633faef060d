"""What the API answers when it refuses: the type, code and message of the service itself."""


class APIError(Exception):
    """Becomes the JSON error of the wire, HTTP 400 unless it says otherwise."""

    kind = "RequestError"
    status = 400

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class RequestError(APIError):
    """A missing object or a wrong state; boto3 models this one and shows its TurkErrorCode."""


class ParameterValidationError(APIError):
    kind = "ParameterValidationError"


class InvalidParameterCombination(APIError):
    kind = "InvalidParameterCombinationError"


class ValidationException(APIError):
    kind = "ValidationException"

    def __init__(self, *, value: object, member: str, constraint: str) -> None:
        super().__init__(
            f"1 validation error detected: Value '{value}' at '{member}' failed to satisfy "
            f"constraint: {constraint}"
        )


class UnknownOperation(APIError):
    kind = "UnknownOperationException"


class SerializationException(APIError):
    kind = "SerializationException"


class SignatureRefused(APIError):
    """The message never says which part was wrong beyond what the caller needs to mend it."""

    def __init__(self, message: str, *, kind: str = "InvalidSignatureException") -> None:
        super().__init__(message)
        self.kind = kind


def does_not_exist(noun: str, external_id: str) -> RequestError:
    return RequestError(f"{noun} {external_id} does not exist.", code=f"{noun}DoesNotExist")


def wrong_state(noun: str, *, allowed: str, current: str = "") -> RequestError:
    prefix = f"This {noun} is currently in the state '{current}'.  " if current else ""
    return RequestError(
        f"{prefix}This operation can be called with a status of: {allowed}", code=f"Invalid{noun}State"
    )


def out_of_range(member: str, *, low: object, high: object) -> ParameterValidationError:
    return ParameterValidationError(
        f"{member} must be between {low} and {high}.", code="InvalidParameterValue"
    )
