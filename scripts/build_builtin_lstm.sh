#!/bin/sh
# Makes src/priscian/models/builtin/lstm.plstm from ../shared/corpora; docs/models/builtin-lstm.md
# tells what comes out. Usage: scripts/build_builtin_lstm.sh [STEPS]; an hour or two on one core.
set -eu
corpora=../shared/corpora
work=${WORK:-build/lstm}
mkdir -p "$work"

# Two of the books are not in the public domain (Creative Commons, no derivatives): PG8086 and
# PG58344. The third expression drops a paragraph of the distributor's terms that was left in.
xz -dc "$corpora/books.txt.xz" |
  sed -e '3635,4674d' -e '177898,178368d' -e '/1\.F\.3/d' > "$work/books.txt"
xz -dc "$corpora/everyday.txt.xz" > "$work/everyday.txt"

priscian train lstm --corpus "$work/books.txt" --extra "$work/everyday.txt" \
  --vocabulary 20000 --width 256 --hidden 320 --rate 0.003 --seed 1 --threads 1 --seconds 1e9 --steps "${1:-25000}" \
  --work "$work" --out src/priscian/models/builtin/lstm.plstm
