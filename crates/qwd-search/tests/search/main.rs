//! The index as a library.
//!
//! | file | theme |
//! |---|---|
//! | `exact` | the best k equal a full sort, for every form of W and every way to find them |
//! | `changing` | additions, replacements, deletions, merges, other models; one writer, many readers |
//! | `asking` | filters, phrases, passages, typing mistakes, reasons, a second stage |

mod asking;
mod changing;
mod exact;
mod samples;
