"""A long run of the twins, with the number of cases and of differences of each: ``make twins``.

python -m tests.twins                      20,000 cases in all
python -m tests.twins --cases 1000         another number
python -m tests.twins --only risk check    some twins
"""

from __future__ import annotations

import argparse
import sys

from tests.twins.everything import TWINS


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=20_000, help="in all")
    parser.add_argument("--only", nargs="*", choices=list(TWINS), default=list(TWINS))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    chosen = [TWINS[name] for name in asked.only]
    whole = sum(one.weight for one in chosen)
    cases = differences = 0
    for one in chosen:
        found = one.count(-int(-asked.cases * one.weight // whole), asked.seed)
        cases, differences = cases + found.cases, differences + len(found.differences)
        print(f"{one.name:<28} {found.cases:>7,} cases  {len(found.differences):>5,} differences  "
              f"{found.seconds:>6.0f} s", flush=True)  # fmt: skip
        for said, each in found.kinds.items():
            _, case, error = min(each, key=lambda d: d[0])
            print(f"    {len(each)} × {said}\n      {error}\n      {case}", flush=True)
    print(f"{'all':<28} {cases:>7,} cases  {differences:>5,} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
