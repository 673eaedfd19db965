//! The vectors of one data set for several ways of making them, each made once.

use qwd_core::{Result, Threads};
use qwd_data::{Opened, SplitRule};
use qwd_train::{Prepared, TextParams};

/// Vectors by the way they are made, made when first asked for.
pub(crate) struct PreparedTexts<'a> {
    data: &'a Opened,
    rule: SplitRule,
    made: Vec<(TextParams, Prepared<'a>)>,
}

impl<'a> PreparedTexts<'a> {
    pub(crate) fn new(data: &'a Opened, rule: SplitRule) -> Self {
        Self { data, rule, made: Vec::new() }
    }

    pub(crate) fn get(&mut self, text: &TextParams, threads: &Threads) -> Result<&Prepared<'a>> {
        let at = match self.made.iter().position(|(known, _)| known == text) {
            Some(at) => at,
            None => {
                self.made.push((text.clone(), Prepared::fit(self.data, text, self.rule, threads)?));
                self.made.len() - 1
            }
        };
        Ok(&self.made[at].1)
    }
}
