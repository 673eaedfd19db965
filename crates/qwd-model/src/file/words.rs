//! The two sides' words in the file: parameters in the metadata, vocabularies in tensors `SIDE.words.…`.

use super::decoder::Decoder;
use super::encoder::{Elements, Encoder};
use crate::matrix::Side;
use crate::model::Model;
use qwd_core::error::Result;
use qwd_text::{Vectorizer, VectorizerParams, Vocabulary, VocabularyParts};
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek};
use std::sync::Arc;

/// The metadata `query` and `document`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Words {
    /// Which side's tensors hold the vocabulary: `query` or `document`.
    pub(super) vocabulary: String,
    /// How text becomes vectors.
    pub(super) vectorizer: VectorizerParams,
    /// The number of documents that were counted.
    pub(super) n_documents: u64,
    /// The number of terms in them.
    pub(super) n_tokens: u64,
}

pub(super) fn encode<'a>(encoder: &mut Encoder<'a>, model: &'a Model) -> Result<()> {
    for side in [Side::Query, Side::Document] {
        let Some(vectorizer) = model.vectorizer(side) else { continue };
        let vocabulary = vectorizer.vocabulary();
        let of_queries = model.vectorizer(Side::Query).map(Vectorizer::vocabulary);
        let holder = if of_queries.is_some_and(|v| Arc::ptr_eq(v, vocabulary)) { Side::Query } else { side };
        let words = Words {
            vocabulary: holder.name().to_string(),
            vectorizer: vectorizer.params().clone(),
            n_documents: vocabulary.n_documents(),
            n_tokens: vocabulary.n_tokens(),
        };
        encoder.json(side.name(), &words)?;
        if holder == side {
            let name = side.name();
            encoder.tensor(format!("{name}.words.bytes"), Elements::U8(vocabulary.bytes()));
            encoder.tensor(format!("{name}.words.offsets"), Elements::U64(vocabulary.offsets()));
            encoder.tensor(format!("{name}.words.df"), Elements::U32(vocabulary.document_frequencies()));
            encoder.tensor(format!("{name}.words.cf"), Elements::U64(vocabulary.collection_frequencies()));
        }
    }
    Ok(())
}

pub(super) fn decode<R: Read + Seek>(decoder: &mut Decoder<R>) -> Result<(Option<Vectorizer>, Option<Vectorizer>)> {
    let query = decode_side(decoder, Side::Query, None)?;
    let document = decode_side(decoder, Side::Document, query.as_ref().map(Vectorizer::vocabulary))?;
    Ok((query, document))
}

fn decode_side<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    side: Side,
    of_queries: Option<&Arc<Vocabulary>>,
) -> Result<Option<Vectorizer>> {
    if !decoder.has_key(side.name()) {
        return Ok(None);
    }
    let words: Words = decoder.json(side.name())?;
    let vocabulary = if words.vocabulary == side.name() {
        Arc::new(decode_vocabulary(decoder, side, &words)?)
    } else {
        let shared = of_queries.filter(|v| {
            words.vocabulary == Side::Query.name()
                && (v.n_documents(), v.n_tokens()) == (words.n_documents, words.n_tokens)
        });
        Arc::clone(
            shared.ok_or_else(|| decoder.corrupt("header", "a side that shares a vocabulary that is not there"))?,
        )
    };
    let vectorizer = Vectorizer::from_parts(words.vectorizer, vocabulary).map_err(|e| decoder.damaged("header", &e))?;
    Ok(Some(vectorizer))
}

fn decode_vocabulary<R: Read + Seek>(decoder: &mut Decoder<R>, side: Side, words: &Words) -> Result<Vocabulary> {
    let section = format!("{}.words", side.name());
    let [of_bytes, of_offsets, of_df, of_cf] = ["bytes", "offsets", "df", "cf"].map(|part| format!("{section}.{part}"));
    let n_words = decoder.len_of(&of_df)?;
    let n_bytes = decoder.len_of(&of_bytes)?;
    let parts = VocabularyParts {
        bytes: decoder.u8s(&of_bytes, n_bytes)?,
        offsets: decoder.u64s(&of_offsets, n_words + 1)?,
        df: decoder.u32s(&of_df, n_words)?,
        cf: decoder.u64s(&of_cf, n_words)?,
        n_documents: words.n_documents,
        n_tokens: words.n_tokens,
    };
    Vocabulary::from_parts(parts).map_err(|e| decoder.damaged(&section, &e))
}
