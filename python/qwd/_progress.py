"""Progress: a callable that takes a dict, or ``True`` for a bar on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Report = dict[str, Any]
Progress = bool | Callable[[Report], object] | None


def listener(progress: Progress, history: list[Report] | None = None) -> Callable[[Report], None] | None:
    """What the compiled part calls: keeps reports in ``history`` and passes them on."""
    show = _bar() if progress is True else progress or None
    if show is None and history is None:
        return None
    if show is not None and not callable(show):
        raise TypeError(f"progress = {progress!r}: expected True, or something to call with a dict")

    def listen(report: Report) -> None:
        if history is not None and report["stage"] == "training":
            history.append({key: value for key, value in report.items() if value is not None and key != "stage"})
        if show is not None:
            show(report)

    return listen


def _bar() -> Callable[[Report], None]:
    """tqdm's bar where tqdm is installed, else a line that is written anew."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _line
    bars: dict[str, Any] = {}

    def show(report: Report) -> None:
        stage = report["stage"]
        if stage not in bars:
            bars[stage] = tqdm(total=report["total"] or None, desc=stage, leave=False)
        bar = bars[stage]
        bar.total = report["total"] or bar.total
        bar.n = report["done"]
        bar.set_postfix({k: f"{report[k]:.4g}" for k in ("loss", "validation", "density") if report[k] is not None})
        if bar.total and bar.n >= bar.total:
            bars.pop(stage).close()

    return show


def _line(report: Report) -> None:
    loss = "" if report["loss"] is None else f", loss {report['loss']:.4g}"
    print(f"\r{report['stage']} {report['done']} of {report['total']}{loss}", end="", file=sys.stderr, flush=True)
