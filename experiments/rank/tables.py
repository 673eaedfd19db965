"""results.json of this folder as Markdown."""


def markdown(report):
    lines = [f"Run on {report['date']}, load average {report['load']:.1f} at its start; LightGBM {report['lightgbm']}, "
             f"XGBoost {report['xgboost']}.", "",
             "**LambdaMART, 100 trees of 31 leaves, five seeds, one thread**", "",
             "| data | qwd ndcg@10 | LightGBM ndcg@10 | p (paired t) | qwd s | LightGBM s | times |", "|---|---|---|---|---|---|---|"]
    for name, of in report["trees"].items():
        lines.append(f"| {name} | {of['qwd']['ndcg@10']:.4f} | {of['lightgbm']['ndcg@10']:.4f} | {of['p']:.3f} | "
                     f"{of['qwd']['seconds']:.2f} | {of['lightgbm']['seconds']:.2f} | {of['times']:.2f} |")
    lines += ["", "**Linear rankers on MQ2008, five folds, one thread; seconds of the chosen runs together**", "",
              "| ranker | ndcg@10 | seconds |", "|---|---|---|"]
    for name, of in report["linear"].items():
        lines.append(f"| {name} | {of['ndcg@10']:.4f} | {of['seconds']:.2f} |")
    lines += ["", f"**FenchelRank's 45-run cross-validation on MQ2008, two threads:** "
              f"{report['cross_validation']['seconds']:.1f} s ({report['cross_validation']['cpu_seconds']:.1f} s of the cores)", "",
              "**FenchelRank and TGRank by the protocol of table 6 on MQ2008** (`fenchel-same-norm`: r = ‖w‖₁ of TGRank)", "",
              "| method | seconds a fold | share of features | times faster | times sparser |", "|---|---|---|---|---|"]
    for name, of in report["table6"].items():
        lines.append(f"| {name} | {of['train_seconds']:.4f} | {of['sparsity']:.3f} | {of['times_faster']:.1f} | "
                     f"{of['times_sparser']:.1f} |")
    if "scale" in report:
        lines += ["", "**FenchelRank (r = 16, gap 0.01) on a made set like MSLR-WEB, 136 features, 100 documents a query**", "",
                  "```text", report["scale"].rstrip(), "```"]
    return "\n".join(lines) + "\n"
