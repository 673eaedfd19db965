"""results.json of this folder as Markdown."""


def markdown(report):
    low, lsi, words, dice = (report[key] for key in ("low_rank", "lsi", "words", "dice"))
    return f"""| what, on one thread | qwd | peer | ratio |
|---|---|---|---|
| low-rank training, N = 100, tuples/s (tuple by tuple) | {low['qwd']['tuples_per_second']:.0f} | Vowpal Wabbit `--lrq qd100`: {low['vw']['tuples_per_second']:.3g} | {low['times']:.0f} |
| the same in mini-batches that share projections | {low['qwd']['tuples_per_second_in_batches']:.0f} | | {low['times_in_batches']:.0f} |
| LSI, rank 200, seconds (residual) | {lsi['qwd']['seconds']:.2f} ({lsi['qwd']['residual']:.4f}) | scikit-learn `TruncatedSVD`: {lsi['scikit-learn']['seconds']:.2f} ({lsi['scikit-learn']['residual']:.4f}) | {lsi['times']:.2f} |

| scale | seconds | peak MB |
|---|---|---|
| low rank, {words['words']:,} words × {words['rank']} dimensions, {words['tuples']:,} tuples, two threads | {words['seconds']:.1f} | {words['peak_megabytes']:.0f} |
| DICE, {dice['words']:,} words against F = {dice['bins']:,}, {dice['texts']:,} texts of 200 words | {dice['seconds']:.1f} | {dice['peak_megabytes']:.0f} |
"""
