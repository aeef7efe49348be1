#!/usr/bin/env bash
# The first hour of a new user: README.md's commands, word for word, one after another in an empty
# folder. first_hour.tsv says what the first line of each looks like, or why it is not run. A command
# that has no row there, or a row whose command is not in README.md, is an error.
#
# usage: tests/first_hour.sh        with `priscian` on the PATH
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readme=$here/../README.md
table=$here/first_hour.tsv
tab=$(printf '\t')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PRISCIAN_CACHE=$work/cache HOME=$work SHELL=/bin/bash
failed=0

# Commands of the blocks without a language; what follows two spaces describes them.
commands() {
  awk '/^```/ { open = !open; plain = open && $0 == "```"; next }
       plain && /^(priscian|make|pip) / { sub(/  +.*$/, ""); print }' "$readme"
}

fail() {
  failed=1
  printf 'FAILED   %s\n         %s\n' "$1" "$2"
}

cd "$work" || exit 1
printf 'ok,odd\nThe keys are here.,The keys is here.\nShe left.,She leave.\n' > mine.csv
printf 'It rained. The keys were lost.\n\nNobody knew where they were.\nThen the old man found them in the garden.\n' > stories.txt

while IFS= read -r command; do
  expected=$(awk -F "$tab" -v wanted="$command" '!/^#/ && $1 == wanted { print $2; found = 1 } END { exit !found }' "$table")
  if [ $? -ne 0 ]; then
    fail "$command" "is in README.md and has no row in first_hour.tsv"
    continue
  fi
  if [ "${expected#skip }" != "$expected" ]; then
    printf 'skipped  %s\n         %s\n' "$command" "${expected#skip }"
    continue
  fi
  began=$SECONDS
  eval "$command" > out.txt 2> err.txt < /dev/null
  code=$?
  first=$(grep -m 1 . out.txt)
  if [ $code -ne 0 ]; then
    fail "$command" "exit code $code: $(tail -n 3 err.txt)"
  elif ! printf '%s\n' "$first" | grep -Eq -- "$expected"; then
    fail "$command" "its first line is: $first"
  else
    printf 'ok %4ds %s\n' $((SECONDS - began)) "$command"
  fi
done < <(commands)

while IFS=$tab read -r command _; do
  case $command in '#'*|'') continue ;; esac
  commands | grep -Fxq -- "$command" || fail "$command" "is in first_hour.tsv and not in README.md"
done < "$table"

exit $failed
