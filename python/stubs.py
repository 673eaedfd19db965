"""Writes qwd/estimators.pyi and qwd/rankers.pyi from the table of methods: `python stubs.py`, or `--check`."""

import ast
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "qwd"
if not any(FOLDER.glob("_qwd.*.so")):
    # The compiled part is in the installed package, not in the folder beside this file.
    sys.path.remove(str(FOLDER.parent))

from qwd import _base, estimators, rankers  # noqa: E402


def stub(module, kind) -> str:
    """The module's signatures: written classes as they stand, made classes with the parameters of their methods."""
    source = Path(module.__file__).read_text()
    lines = [f'"""Made by stubs.py from the table of methods. {ast.get_docstring(ast.parse(source)).splitlines()[0]}"""', "",
             "import os", "from typing import Any", "", "from ._base import Estimator", "from .model import Model", "",
             "CLASSES: dict[str, str]", ""]
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            lines += written(node)
    for method, name in module.CLASSES.items():
        made = getattr(module, name)
        lines += [f"class {name}({made.__mro__[1].__name__}):", "    def __init__(", "        self,", "        *,"]
        own = _base.parameters_of(kind, method)
        shared = [p for p in module.COMMON if p[0] not in {q[0] for q in own}]
        lines += [f"        {parameter}: {type_of(default)} = {default!r}," for parameter, default, _ in own + shared]
        lines += ["    ) -> None: ...", ""]
    return "\n".join(lines)


def type_of(default) -> str:
    return "Any" if default is None else "float" if isinstance(default, float) else type(default).__name__


def written(node) -> list[str]:
    lines = [f"class {node.name}({', '.join(ast.unparse(base) for base in node.bases)}):"]
    if node.name in ("MatrixRanker", "FeatureRanker"):
        lines += ["    history_: list[dict[str, Any]]", "    n_features_in_: int"]
        lines += ["    model_: Model"] if node.name == "MatrixRanker" else []
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            lines += [f"    @{ast.unparse(decorator)}" for decorator in item.decorator_list]
            returns = f" -> {ast.unparse(item.returns)}" if item.returns else ""
            lines.append(f"    def {item.name}({ast.unparse(item.args)}){returns}: ...")
    return [*lines, ""]


def main() -> int:
    stale = []
    for module, kind in ((estimators, "matching"), (rankers, "ranking")):
        path, text = FOLDER / f"{module.__name__.split('.')[-1]}.pyi", stub(module, kind)
        if "--check" in sys.argv:
            stale += [path.name] if not path.exists() or path.read_text() != text else []
        else:
            path.write_text(text)
    if stale:
        print(f"{', '.join(stale)} differ from the table of methods; run python stubs.py", file=sys.stderr)
    return len(stale)


if __name__ == "__main__":
    sys.exit(main())
