"""The part of Amazon's SNS that programs need in order to be notified of their HITs."""
