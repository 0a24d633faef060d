"""An MTurk-compatible server and its worker site. Meets the other rooms over HTTP only."""
