//! Logs from which something was left out: what one user told, or what is too old.

use crate::learner::Lineage;
use crate::pins::Pins;
use crate::record::Record;
use qwd_core::Result;
use qwd_store::Log;
use std::collections::BTreeMap;
use std::path::Path;

/// The records of a new log.
pub(crate) struct Rewritten {
    pub(crate) records: Vec<Vec<u8>>,
    pub(crate) n_forgotten: u64,
}

fn read(path: &Path) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    Log::read(path, |number, bytes| {
        records.push(Record::from_bytes(number, bytes)?);
        Ok(())
    })?;
    Ok(records)
}

/// All texts and all that others told, with nothing learned yet.
pub(crate) fn without_user(path: &Path, lineage: &Lineage, user: &str) -> Result<Rewritten> {
    let origin = lineage.origin;
    let mut records = vec![Record::Base { version: origin, origin, next: lineage.next }.to_bytes()?];
    let mut n_forgotten = 0;
    for record in read(path)? {
        match &record {
            Record::Feedback(feedback) if feedback.user.as_deref() == Some(user) => n_forgotten += 1,
            Record::Feedback(_) | Record::Text { .. } | Record::Pin { .. } => records.push(record.to_bytes()?),
            _ => {}
        }
    }
    Ok(Rewritten { records, n_forgotten })
}

/// The log after the last round that learned from nothing younger than `limit`, in seconds, and whose version is kept.
pub(crate) fn without_old(path: &Path, limit: f64, is_kept: impl Fn(u64) -> bool) -> Result<Option<Rewritten>> {
    let records = read(path)?;
    let is_old = |record: &Record| match record {
        Record::Feedback(feedback) => feedback.time.is_some_and(|time| time < limit),
        _ => true,
    };
    let n_old = records.iter().position(|r| !is_old(r)).unwrap_or(records.len()) as u64;
    let round = records.iter().enumerate().rev().find_map(|(at, record)| match record {
        Record::Round { through, version: Some(version), published: true, .. }
            if *through <= n_old && is_kept(*version) =>
        {
            Some((at, *through as usize, *version))
        }
        _ => None,
    });
    let Some((at, through, version)) = round else { return Ok(None) };
    let mut lineage = Lineage::default();
    records[..=at].iter().for_each(|record| lineage.take(record));
    let mut texts = BTreeMap::new();
    let (mut pins, mut n_forgotten) = (Pins::default(), 0);
    for (number, record) in (0..).zip(&records[..through]) {
        pins.take(number, record);
        match record {
            Record::Text { id, text } => {
                texts.insert(id.clone(), text.clone());
            }
            Record::Feedback(_) => n_forgotten += 1,
            _ => {}
        }
    }
    let mut new = vec![Record::Base { version, origin: lineage.origin, next: lineage.next }];
    new.extend(texts.into_iter().map(|(id, text)| Record::Text { id, text }));
    new.extend(pins.at(u64::MAX).into_iter().map(|([query, document], weight)| Record::Pin {
        query: query.clone(),
        document: document.clone(),
        weight: Some(weight),
    }));
    let shift = through as i64 - new.len() as i64;
    for (i, record) in records.into_iter().enumerate().skip(through).filter(|(i, _)| *i != at) {
        // Numbers of records move with what was left out before them, the round itself included.
        let moved = |through: u64| (through as i64 - shift - i64::from(through > at as u64)) as u64;
        new.push(match record {
            Record::Round { through, params, seed, version, published, held_out } if i > at => {
                Record::Round { through: moved(through), params, seed, version, published, held_out }
            }
            record => record,
        });
    }
    let records = new.iter().map(Record::to_bytes).collect::<Result<_>>()?;
    Ok(Some(Rewritten { records, n_forgotten }))
}
