"""Prints values of a JSON file on a line: json_get.py FILE a.0.b ..."""

import json
import sys

with open(sys.argv[1]) as file:
    document = json.load(file)
values = []
for path in sys.argv[2:]:
    value = document
    for key in path.split("."):
        value = value[int(key) if isinstance(value, list) else key]
    values.append(value if isinstance(value, str) else json.dumps(value))
print(*values)
