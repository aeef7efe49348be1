"""Judging: the web app that collects people's judgements, and models' answers beside them.

- `study`: what `study.toml` may say; `check`: what is wrong with it; `presets/`: ready studies.
- `items`, `design`, `order`, `frozen`: from a data set to lists, orders and one frozen file.
- `store`, `sqlite`, `postgres`, `desk`: where answers are kept, and who commits them.
- `app`: the pages of participants and of the researcher; `serve` runs them.
- `exclusion`, `export`, `agreement`: what comes out.

Modules are imported one by one, so that serving a study loads neither Polars nor NumPy.
"""
