"""Training and scoring on an existing Spark cluster, with the compiled kernels inside ``mapInArrow``.

Data stay in DataFrames. Vectors are columns ``indices`` (increasing whole numbers) and ``values``:

| DataFrame | columns |
|---|---|
| queries, documents | ``id``, ``text``; as vectors (``vectorize``) ``id``, ``indices``, ``values`` |
| documents of an index | ``id``, ``text``, perhaps ``title``, ``order`` and fields for filters |
| responses | ``query``, ``document``, ``response`` (clicks, grades) |
| preferences | ``query``, ``better``, ``worse`` |

What comes out is a :class:`qwd.Model`, an ordinary model of qwd. Executors need qwd, SciPy and pyarrow.
"""

from __future__ import annotations

from .counting import DiceTable, dice_table, fit_vectorizer
from .indexing import build_index
from .mapping import cross_product, fit_pls, fit_rmls
from .mixing import fit_low_rank, fit_sparse
from .scoring import score, search, vectorize

__all__ = ["DiceTable", "build_index", "cross_product", "dice_table", "fit_low_rank", "fit_pls", "fit_rmls", "fit_sparse",
           "fit_vectorizer", "score", "search", "vectorize"]
