"""Training and scoring on an existing Spark cluster, with the compiled kernels inside ``mapInArrow``.

Data stay in DataFrames. Vectors are columns ``indices`` (increasing whole numbers) and ``values``:

| DataFrame | columns |
|---|---|
| queries, documents | ``id``, ``text``; as vectors (``vectorize``) ``id``, ``indices``, ``values`` |
| responses | ``query``, ``document``, ``response`` (clicks, grades) |
| preferences | ``query``, ``better``, ``worse`` |

What comes out is a :class:`qwd.Model`, an ordinary model of qwd. Executors need qwd, SciPy and pyarrow.
"""

from __future__ import annotations

from .mapping import cross_product, fit_pls, fit_rmls
from .mixing import fit_sparse
from .scoring import score, search, vectorize

__all__ = ["cross_product", "fit_pls", "fit_rmls", "fit_sparse", "score", "search", "vectorize"]
