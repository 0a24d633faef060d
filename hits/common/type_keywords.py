"""Keywords of a qualification type that our marketplace understands, where the API has no field."""

# It is given for work, such as a test that is a HIT of its own, and to nobody who only asks.
GIVEN_FOR_WORK = "given-for-work"
