"""The web app: pages of participants (`participant`), of the researcher (`admin`), and their guard.

`make` puts them together, `flow` decides which page comes next, `limits` and `headers` refuse what
should not be there, `serve` runs the app with uvicorn.
"""
