"""Judging: the web app that collects people's judgements, and models' answers beside them.

- `study`: what `study.toml` may say; `check`: what is wrong with it; `presets/`: ready studies.
- `items`, `design`, `frozen`: from a data set to lists, orders and one frozen file.
- `store`, `databases`, `desk`: where answers are kept, and who commits them.
- `sitting`: who gets which list, which page comes next, what an answer is.
- `app`: the pages of participants and of the researcher; `serve` runs them.
- `exclusion`, `export`, `summary`: what comes out.

Modules are imported one by one, so that serving a study loads neither Polars nor NumPy.
"""
