"""Prints the constants of tests/significance.rs; needs scipy and statsmodels (made with 1.17.1 and 0.15.0).

Constant differences are not here: scipy has NaN where we say that there is nothing to tell.
"""

import numpy as np
import scipy.stats as st
from statsmodels.stats.multitest import multipletests

A = [0.71, 0.40, 0.55, 0.90, 0.13, 0.62, 0.48, 0.77, 0.35, 0.58, 0.91, 0.22]
B = [0.60, 0.42, 0.41, 0.85, 0.13, 0.49, 0.50, 0.61, 0.30, 0.60, 0.80, 0.15]
ALTERNATIVES = ["two-sided", "greater", "less"]


def long_pair(n):
    """The same numbers as `long_pair` of the test: no generator to agree on."""
    i = np.arange(n)
    a = 0.5 + 0.4 * np.sin(1.7 * i)
    return a, a - 0.02 + 0.1 * np.sin(2.9 * i + 1)


def difference_of_means(x, y, axis):
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


def main():
    for name, (a, b) in {"short": (A, B), "long": long_pair(200), "longer": long_pair(3000)}.items():
        for alternative in ALTERNATIVES:
            t = st.ttest_rel(a, b, alternative=alternative)
            print("t-test", name, alternative, repr(float(t.statistic)), repr(float(t.pvalue)))
    for alternative in ALTERNATIVES:
        p = st.permutation_test((A, B), difference_of_means, permutation_type="samples", alternative=alternative, n_resamples=10**6)
        print("randomisation, exact", alternative, repr(float(p.pvalue)))
    a, b = long_pair(60)
    for alternative in ALTERNATIVES:
        p = st.permutation_test(
            (a, b), difference_of_means, permutation_type="samples", alternative=alternative, n_resamples=10**6, rng=1, batch=10**4
        )
        print("randomisation, random", alternative, repr(float(p.pvalue)))
    a, b = long_pair(200)
    for confidence in (0.95, 0.8):
        r = st.bootstrap(
            (a - b,), np.mean, n_resamples=10**6, confidence_level=confidence, method="percentile", rng=1, batch=10**4
        ).confidence_interval
        print("bootstrap", confidence, repr(float(r.low)), repr(float(r.high)))
    p = [0.01, 0.04, 0.03, 0.005, 0.6, 0.04, 1.0, 0.0]
    for method in ["bonferroni", "holm", "fdr_bh"]:
        print(method, [float(x) for x in multipletests(p, method=method)[1]])
    print("fdr_bh by scipy", st.false_discovery_control(p, method="bh").tolist())


main()
