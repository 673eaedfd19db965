//! The documents in the latent space of a low-rank W: exact numbers, and codes of one byte each for a first pass.
//!
//! A document's numbers x are kept as codes c with x ≈ scale · c, and the length of what is lost, so that an inner product
//! with the codes has a known error.

use super::container::{Container, u32_at};
use qwd_core::Result;

pub(crate) const NUMBERS: &str = "projections";
pub(crate) const CODES: &str = "codes";
pub(crate) const SCALES: &str = "code-scales";

/// The sections of the numbers of documents, `rank` each.
pub(crate) fn encode(numbers: &[f32], rank: usize) -> [(&'static str, Vec<u8>); 3] {
    let (mut codes, mut scales) = (Vec::with_capacity(numbers.len()), Vec::new());
    for x in numbers.chunks_exact(rank.max(1)) {
        let greatest = x.iter().fold(0.0f32, |a, &b| a.max(b.abs()));
        let scale = greatest / 127.0;
        let inverse = if scale > 0.0 { 1.0 / f64::from(scale) } else { 0.0 };
        let mut lost = 0.0f64;
        for &x in x {
            let code = (f64::from(x) * inverse).round().clamp(-127.0, 127.0) as i8;
            lost += (f64::from(x) - f64::from(scale) * f64::from(code)).powi(2);
            codes.push(code as u8);
        }
        scales.extend_from_slice(&scale.to_le_bytes());
        // Rounded up: the length of what is lost must never be told too small.
        scales.extend_from_slice(&((lost.sqrt() * 1.000_001) as f32).to_le_bytes());
    }
    [(NUMBERS, numbers.iter().flat_map(|x| x.to_le_bytes()).collect()), (CODES, codes), (SCALES, scales)]
}

/// A query in the latent space, with codes of its own.
#[derive(Debug)]
pub(crate) struct Probe {
    numbers: Vec<f32>,
    codes: Vec<i16>,
    scale: f32,
    /// The length of the query, and of what its codes lose.
    norm: f32,
    lost: f32,
}

impl Probe {
    pub(crate) fn new(numbers: Vec<f32>) -> Self {
        let greatest = numbers.iter().fold(0.0f32, |a, &b| a.max(b.abs()));
        // The sum of products of codes stays below 2³¹.
        let most = (f64::from(i32::MAX) / 128.0 / numbers.len().max(1) as f64).min(f64::from(i16::MAX)).floor();
        let scale = if greatest > 0.0 { f64::from(greatest) / most } else { 0.0 };
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let codes: Vec<i16> = numbers.iter().map(|&x| (f64::from(x) * inverse).round() as i16).collect();
        let scale = scale as f32;
        let lost = |(&x, &c): (&f32, &i16)| (f64::from(x) - f64::from(scale) * f64::from(c)).powi(2);
        let lost = numbers.iter().zip(&codes).map(lost).sum::<f64>().sqrt() as f32;
        let norm = numbers.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32;
        Self { numbers, codes, scale, norm, lost }
    }

    /// The number of dimensions.
    pub(crate) fn rank(&self) -> usize {
        self.numbers.len()
    }

    /// Shows every document with its approximate inner product and the greatest error of that.
    pub(crate) fn scan(&self, codes: &[u8], scales: &[u8], mut show: impl FnMut(usize, f32, f32)) {
        for (doc, (codes, scale)) in codes.chunks_exact(self.rank().max(1)).zip(scales.as_chunks::<8>().0).enumerate() {
            let (approximate, error) = self.approximate(codes, scale);
            show(doc, approximate, error);
        }
    }

    /// The same for some documents.
    pub(crate) fn scan_some(&self, docs: &[u32], codes: &[u8], scales: &[u8], mut show: impl FnMut(usize, f32, f32)) {
        let (rank, scales) = (self.rank(), scales.as_chunks::<8>().0);
        for doc in docs.iter().map(|&doc| doc as usize) {
            if let (Some(codes), Some(scale)) = (codes.get(doc * rank..(doc + 1) * rank), scales.get(doc)) {
                let (approximate, error) = self.approximate(codes, scale);
                show(doc, approximate, error);
            }
        }
    }

    #[inline(always)]
    fn approximate(&self, codes: &[u8], scale: &[u8; 8]) -> (f32, f32) {
        let spread = 127.0 * (self.rank() as f32).sqrt();
        let (of_document, lost) = (number(scale, 0), number(scale, 4));
        let sum: i32 = self.codes.iter().zip(codes).map(|(&q, &d)| i32::from(q) * i32::from(d as i8)).sum();
        let approximate = self.scale * of_document * sum as f32;
        let error = self.norm * lost + self.lost * of_document * spread + approximate.abs() * 1e-6;
        (approximate, error * 1.000_01)
    }

    /// The inner product with a document's exact numbers, summed in `f64` in order.
    pub(crate) fn exact(&self, container: &Container, doc: u32) -> Result<f64> {
        let bytes = container.section(NUMBERS)?;
        let row = 4 * self.rank();
        let numbers = bytes.get(doc as usize * row..).and_then(|rest| rest.get(..row));
        let numbers = numbers.ok_or_else(|| container.damaged(NUMBERS, "it is too short"))?;
        Ok(self.inner_product(numbers))
    }

    /// The inner product with numbers as they lie in a file, summed in `f64` in order.
    pub(crate) fn inner_product(&self, numbers: &[u8]) -> f64 {
        let products = self.numbers.iter().zip(numbers.as_chunks::<4>().0);
        products.map(|(&q, d)| f64::from(q) * f64::from(f32::from_le_bytes(*d))).sum()
    }
}

fn number(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at).unwrap_or(0))
}
