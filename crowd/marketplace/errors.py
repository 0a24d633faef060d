"""The API's refusals, with the type, code and message that the service itself uses."""


class APIError(Exception):
    """A refusal that becomes the JSON error of the wire, HTTP 400 unless the subclass says otherwise."""

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
        told = "null" if value is None else f"'{value}'"
        super().__init__(
            f"1 validation error detected: Value {told} at '{member}' failed to satisfy "
            f"constraint: {constraint}"
        )


class UnknownOperation(APIError):
    kind = "UnknownOperationException"


class SerializationException(APIError):
    kind = "SerializationException"


class SignatureRefused(APIError):
    """A refused signature. The message says no more about the fault than the caller needs to correct it."""

    def __init__(self, message: str, *, kind: str = "InvalidSignatureException") -> None:
        super().__init__(message)
        self.kind = kind


class TopicRefused(APIError):
    """A refused call about topics. Codes and status are those of Amazon's SNS."""

    def __init__(self, message: str, *, code: str = "InvalidParameter", status: int = 400) -> None:
        super().__init__(message, code=code)
        self.status = status


class BodyTooLarge(APIError):
    kind = "RequestEntityTooLargeException"
    status = 413


class Throttled(APIError):
    kind = "ThrottlingException"


class ServiceFault(APIError):
    """A transient failure: the caller may ask again, and boto3 does so by itself."""

    kind = "ServiceFault"
    status = 500


def does_not_exist(noun: str, external_id: str) -> RequestError:
    """The error for a missing object. The service writes HIT as Hit in this one message."""
    named = noun.replace("HIT", "Hit")
    return RequestError(f"{named} {external_id} does not exist.", code=f"{noun}DoesNotExist")


def wrong_state(noun: str, *, allowed: str, current: str = "") -> RequestError:
    prefix = f"This {noun} is currently in the state '{current}'.  " if current else ""
    return RequestError(
        f"{prefix}This operation can be called with a status of: {allowed}", code=f"Invalid{noun}State"
    )


def out_of_range(member: str, *, low: object, high: object) -> ParameterValidationError:
    return ParameterValidationError(
        f"{member} must be between {low} and {high}.", code="InvalidParameterValue"
    )


class RuleBroken(Exception):
    """An operator's request that a rule forbids; the message says what to do instead."""
