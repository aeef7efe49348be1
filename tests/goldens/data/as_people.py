"""Count the simulated sittings of a study as those of people, so that its exports have answers."""

import sqlite3
import sys

with sqlite3.connect(f"{sys.argv[1]}/judge.sqlite") as base:
    assert base.execute("UPDATE sittings SET kind = 'person' WHERE kind = 'test'").rowcount > 0
base.close()
