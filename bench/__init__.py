"""`make bench`: figures side by side in one run; it never fails on a time."""
