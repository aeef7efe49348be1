"""The analyses of the BLiMP paper."""
