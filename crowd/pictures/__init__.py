"""The pool of pictures that task families share: files, hashes, captions, credits."""
