"""Puts what was measured into one file, and prints the tables of the README.

    collect.py OUT RESULT.json
"""

import json
import pathlib
import sys

from tables import markdown

result = {path.stem: json.loads(path.read_text()) for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json"))}
pathlib.Path(sys.argv[2]).write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
print(markdown(result))
