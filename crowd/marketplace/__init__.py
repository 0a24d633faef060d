"""An MTurk-compatible server and its worker site. This package talks to the other packages over HTTP only."""
