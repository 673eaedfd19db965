"""Times SciPy's svds on the cross-product matrix that matching_speed wrote, and compares the objectives.

    python svds.py FOLDER [tol]

The objective of PLS is the sum of the singular values.
"""
import sys
import time

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

folder = sys.argv[1]
tol = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
read = lambda name, dtype: np.fromfile(f"{folder}/{name}", dtype)
indptr, n_cols = read("indptr", "<u8").astype(np.int64), int(open(f"{folder}/n_cols").read())
matrix = csr_matrix((read("data", "<f4"), read("indices", "<u4").astype(np.int32), indptr), (len(indptr) - 1, n_cols))
ours = read("singular_values", "<f8")
start = time.time()
_, values, _ = svds(matrix, k=len(ours), tol=tol)
seconds = time.time() - start
print(
    f"svds rank {len(ours)}, tol {tol}, {matrix.nnz} entries: {seconds:.1f} s, objective {values.sum():.6e}; "
    f"ours {ours.sum():.6e}, {1 - ours.sum() / values.sum():.2e} below"
)
