"""What our web pages share, whatever they show: nothing here knows a page.

- `serve`: a listening socket, and uvicorn with limits.
- `limits`: how large, how slow and how often requests may be; `headers`: what every response says.
- `front`: where browsers find the pages and whom a request comes from, with or without a proxy.
- `sessions`: a secret token, and who has logged in with it.
- `assets`: style sheets and scripts; `static/look.css` has the colours and controls.

Import modules one by one: they need Starlette, which `priscian --help` does not load.
"""
