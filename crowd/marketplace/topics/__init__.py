"""As much of Amazon's SNS as programs need that want to be told of their HITs."""
