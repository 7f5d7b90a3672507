"""What a section of the benchmark prints for tools/bench.sh."""

import json


def report(section, what, measured, unit="x", target=None, sense=None):
    """One figure; `sense` is ">=" or "<=". Without a target it only informs."""
    figure = {"section": section, "what": what, "measured": round(measured, 3), "unit": unit}
    figure.update(target=target, sense=sense if target is not None else None)
    print(json.dumps(figure), flush=True)
