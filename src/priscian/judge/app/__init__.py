"""The web app: pages of participants (`participant`) and of the researcher (`admin`).

`platforms` knows where people come from and go back to, `site` has
what all pages need, `serve` has the routes and runs the app. What refuses requests is in `web`.
"""
