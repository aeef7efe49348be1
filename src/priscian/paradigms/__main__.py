"""Print pairs of a paradigm: `python -m priscian.paradigms UID -n 20 --seed 3`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from priscian.errors import PriscianError
from priscian.lexicon import load_lexicon
from priscian.paradigms.generate import generate
from priscian.paradigms.pair import sentences
from priscian.paradigms.registry import find, load_paradigms, paradigms


def main(arguments: list[str] | None = None) -> int:
    """Print the good and the bad sentence of each pair, one under the other."""
    parser = argparse.ArgumentParser(prog="python -m priscian.paradigms", description=__doc__)
    parser.add_argument("uid", nargs="*", help="paradigms; none lists them all")
    parser.add_argument("-n", type=int, default=10, help="pairs to print")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--file", type=Path, help="a file with paradigms of your own")
    parser.add_argument("--lexicon", type=Path, help="a folder with another lexicon")
    parser.add_argument("--spans", action="store_true", help="show every recorded span")
    options = parser.parse_args(arguments)
    try:
        if options.file:
            load_paradigms(options.file)
        if not options.uid:
            for entry in paradigms().values():
                print(f"{entry.uid}\t{entry.phenomenon}\t{entry.good_example}")
        lexicon = load_lexicon(options.lexicon) if options.lexicon else None
        for uid in options.uid:
            paradigm = find(uid)
            print(f"{uid}: {paradigm.edit.kind}")
            for pair in generate(paradigm, options.n, options.seed, lexicon):
                good, bad = sentences(paradigm, pair)
                print(f"  {good.text}\n *{bad.text}")
                if options.spans:
                    print("    " + " ".join(f"[{s.name} {good[s.name]}]" for s in good.spans))
    except PriscianError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
