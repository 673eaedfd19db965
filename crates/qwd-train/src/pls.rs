//! Partial least squares as the matching framework has it (Wu, Lu and Li, 2013, section 3.2): W = Lₓ Lᵧᵀ with orthonormal
//! columns that maximise tr(LₓᵀMLᵧ), which are the singular vectors of the cross-product matrix M
//! ([`crate::cross_product`]) to its largest singular values.
//!
//! With the identity for features and tf-idf weights for responses, M is the documents' matrix and this is latent semantic
//! indexing; with centred features and one document per query it is classical partial least squares.
//!
//! Cost: that of [`mod@crate::truncated_svd`] on M's factors. The rank is capped at that of M.

use crate::click_problem::ClickProblem;
use crate::cross_product::CrossProduct;
use crate::latent_rows::{LatentRows, latent_matrix};
use crate::mix_with_identity::{check_alpha, mix_with_identity};
use crate::problem::Problem;
use crate::session::Session;
use crate::trainer::{Start, Trained};
use crate::truncated_svd::{SvdSettings, truncated_svd_of};
use qwd_core::{Error, Result, Threads, parameters};

parameters! {
    /// Parameters of partial least squares.
    pub struct PlsParams {
        /// The number of dimensions, 1 to 65536; no more are used than the cross-product matrix has. Symbol: d.
        pub rank: usize = 200,
        /// Whether features are centred, which takes off what all queries have in common with all documents.
        pub centred: bool = false,
        /// If training starts from I, the share of the mapping, 0 to 1; without it, chosen on the training tuples.
        pub alpha: Option<f64> = None,
        /// Dimensions that the decomposition uses besides, for exactness.
        pub oversampling: usize = 20,
        /// How often the decomposition draws its space nearer, 1 to 1000.
        pub iterations: usize = 8,
        /// How much less queries with many responses weigh, 0 (as given) to 1 (every query the same).
        pub damping: f64 = 0.0,
        /// The seed of the decomposition.
        pub seed: u64 = 1,
    }
}

impl PlsParams {
    fn svd(&self) -> SvdSettings {
        let Self { rank, oversampling, iterations, seed, .. } = *self;
        SvdSettings { rank, oversampling, iterations, seed }
    }

    /// Checks the parameters.
    pub fn build(self) -> Result<Pls> {
        self.svd().check()?;
        if !(0.0..=1.0).contains(&self.damping) {
            return Err(Error::param("damping", self.damping, "0 to 1"));
        }
        check_alpha(self.alpha)?;
        Ok(Pls { params: self })
    }
}

/// Partial least squares, with checked parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Pls {
    params: PlsParams,
}

/// Lₓ and Lᵧ, and what they align.
#[derive(Debug, Clone, PartialEq)]
pub struct Projections {
    /// A row for every query feature; the columns are orthonormal. Symbol: Lₓ.
    pub queries: LatentRows,
    /// A row for every document feature; the columns are orthonormal. Symbol: Lᵧ.
    pub documents: LatentRows,
    /// The alignment that each dimension brings, largest first; their sum is what is maximised.
    pub singular_values: Vec<f64>,
}

impl Pls {
    /// The parameters.
    pub fn params(&self) -> &PlsParams {
        &self.params
    }

    /// Finds W for the problem's responses, alone or mixed with I.
    pub fn train(&self, problem: &Problem<'_>, start: Start<'_>, session: &Session<'_>) -> Result<Trained> {
        let response = problem.response()?;
        let clicks = ClickProblem::try_new(problem.queries(), problem.documents(), &response)?;
        let found = self.fit(&clicks, session.threads())?;
        let latent = latent_matrix(found.queries, found.documents)?;
        let matrix = mix_with_identity(latent, self.params.alpha, 0.0, problem, start, session)?;
        Ok(Trained { matrix, state: None, steps: 0 })
    }

    /// Finds Lₓ and Lᵧ of a problem.
    pub fn fit(&self, problem: &ClickProblem<'_>, threads: &Threads) -> Result<Projections> {
        let PlsParams { damping, centred, .. } = self.params;
        self.fit_product(&CrossProduct::of(problem, damping, centred, threads)?, threads)
    }

    /// Finds Lₓ and Lᵧ of a cross-product matrix that is made already.
    pub fn fit_product(&self, product: &CrossProduct, threads: &Threads) -> Result<Projections> {
        let svd = truncated_svd_of(product, &self.params.svd(), threads)?;
        let width = svd.singular_values.len();
        if width == 0 {
            return Err(Error::bad_data(
                "no query with features answers to a document with features",
                "give features to the queries and documents that belong together",
            ));
        }
        Ok(Projections {
            queries: LatentRows::Dense { width, numbers: svd.rows },
            documents: LatentRows::Dense { width, numbers: svd.columns },
            singular_values: svd.singular_values,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cross_product::Kept;
    use qwd_core::{Csr, Rng, SparseVec};
    use qwd_testkit::bilinear::Rows;

    fn random(n_rows: usize, n_cols: usize, per_row: usize, rng: &mut Rng) -> Csr {
        let mut csr = Csr::empty(n_cols as u32);
        for _ in 0..n_rows {
            let pairs = (0..per_row).map(|_| (rng.below(n_cols) as u32, rng.unit() as f32 + 0.1)).collect();
            csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
        }
        csr
    }

    fn plain(csr: &Csr) -> Rows {
        csr.rows().map(|r| qwd_testkit::dense(r.indices(), r.values(), csr.n_cols() as usize)).collect()
    }

    fn dense(rows: &LatentRows) -> Rows {
        let mut out = vec![vec![0.0; rows.width()]; rows.n_rows()];
        for (i, out) in out.iter_mut().enumerate() {
            rows.visit(i, |z, x| out[z] = f64::from(x));
        }
        out
    }

    fn fit(rank: usize, product: &CrossProduct) -> Projections {
        let params = PlsParams { rank, iterations: 60, ..PlsParams::default() };
        params.build().expect("good").fit_product(product, &Threads::default()).expect("fits")
    }

    fn eye(n: usize) -> Csr {
        Csr::from_parts(n as u32, (0..=n as u64).collect(), (0..n as u32).collect(), vec![1.0; n]).expect("valid")
    }

    /// Columns are orthonormal, each pair aligns its singular value, and M is the same however it is kept.
    #[test]
    fn projections_are_singular_vectors_of_the_cross_product() {
        let mut rng = Rng::new(3);
        let (x, y, r) = (random(40, 14, 3, &mut rng), random(30, 11, 4, &mut rng), random(40, 30, 2, &mut rng));
        let problem = ClickProblem { queries: &x, documents: &y, response: &r };
        let responses = r.rows().enumerate();
        let responses = responses.flat_map(|(i, row)| row.iter().map(move |(j, r)| (i, j as usize, f64::from(r))));
        let m = qwd_testkit::rmls::cross_product(&plain(&x), &plain(&y), &responses.collect::<Vec<_>>());
        let mut all = Vec::new();
        for kept in [Kept::Whole, Kept::TwoFactors, Kept::ThreeFactors] {
            let product = CrossProduct::kept_as(kept, &problem, &Threads::default()).expect("a graph");
            let found = fit(5, &product);
            let (a, b) = (dense(&found.queries), dense(&found.documents));
            for i in 0..5 {
                for j in 0..5 {
                    let expected = f64::from(u8::from(i == j));
                    for rows in [&a, &b] {
                        let product: f64 = rows.iter().map(|row| row[i] * row[j]).sum();
                        assert!((product - expected).abs() < 1e-4, "{kept:?} {i} {j} {product}");
                    }
                    let aligned: f64 = m
                        .iter()
                        .zip(&a)
                        .map(|(m, a)| m.iter().zip(&b).map(|(m, b)| a[i] * m * b[j]).sum::<f64>())
                        .sum();
                    let size = found.singular_values[0];
                    assert!((aligned - expected * found.singular_values[i]).abs() < 1e-4 * size, "{kept:?} {i} {j}");
                }
            }
            all.push(found.singular_values);
        }
        assert!(all.iter().all(|v| v.iter().zip(&all[0]).all(|(a, b)| (a - b).abs() < 1e-5 * b)), "{all:?}");
    }

    /// Section 3.2: indicator vectors for features and weights for responses give latent semantic indexing.
    #[test]
    fn lsi_is_a_special_case() {
        // Every document has as many different words, so that the weights 1/nᵢ are all the same.
        let documents = {
            let mut rng = Rng::new(5);
            let mut csr = Csr::empty(12);
            for _ in 0..20 {
                let mut words: Vec<u32> = (0..12).collect();
                rng.shuffle(&mut words);
                let pairs = words[..4].iter().map(|&w| (w, rng.unit() as f32 + 0.1)).collect();
                csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
            }
            csr
        };
        let (of_documents, of_terms) = (eye(20), eye(12));
        let problem = ClickProblem { queries: &of_documents, documents: &of_terms, response: &documents };
        let product = CrossProduct::new(&problem, &Threads::default()).expect("a graph");
        let found = fit(4, &product);
        let settings = SvdSettings { rank: 4, oversampling: 8, iterations: 60, seed: 9 };
        let lsi = crate::truncated_svd(&documents, &settings, &Threads::default()).expect("small");
        let scale = 20.0 * 4.0;
        for (a, b) in found.singular_values.iter().zip(&lsi.singular_values) {
            assert!((a * scale - b).abs() < 1e-4 * b, "{a} {b}");
        }
        let (terms, expected) = (dense(&found.documents), &lsi.columns);
        for t in 0..12 {
            for s in 0..12 {
                let of_pls: f64 = terms[t].iter().zip(&terms[s]).map(|(a, b)| a * b).sum();
                let of_lsi: f32 = (0..4).map(|z| expected[t * 4 + z] * expected[s * 4 + z]).sum();
                assert!((of_pls - f64::from(of_lsi)).abs() < 1e-3, "{t} {s}: {of_pls} {of_lsi}");
            }
        }
    }

    /// With one document a query and centred features, M is the covariance of classical partial least squares.
    #[test]
    fn centred_pls_is_a_special_case() {
        let mut rng = Rng::new(8);
        let n = 30;
        let centred = |width: usize, rng: &mut Rng| -> Rows {
            let mut rows: Rows = (0..n).map(|_| (0..width).map(|_| rng.normal()).collect()).collect();
            for z in 0..width {
                let mean = rows.iter().map(|row| row[z]).sum::<f64>() / n as f64;
                rows.iter_mut().for_each(|row| row[z] -= mean);
            }
            rows
        };
        let (x, y) = (centred(5, &mut rng), centred(4, &mut rng));
        let sparse = |rows: &Rows| {
            let mut csr = Csr::empty(rows[0].len() as u32);
            for row in rows {
                let pairs = (0u32..).zip(row.iter().map(|&x| x as f32)).collect();
                csr.push(SparseVec::from_pairs(pairs).expect("finite").view()).expect("in range");
            }
            csr
        };
        let (queries, documents, response) = (sparse(&x), sparse(&y), eye(n));
        let problem = ClickProblem { queries: &queries, documents: &documents, response: &response };
        let found = fit(1, &CrossProduct::new(&problem, &Threads::default()).expect("a graph"));
        // The first pair of directions has the largest covariance of all: power iteration on the covariance.
        let mut v = vec![1.0; 4];
        let mut covariance = 0.0;
        for _ in 0..2000 {
            let of_y: Vec<f64> = y.iter().map(|row| row.iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
            let mut u: Vec<f64> =
                (0..5).map(|z| x.iter().zip(&of_y).map(|(row, s)| row[z] * s / n as f64).sum()).collect();
            let length = u.iter().map(|a| a * a).sum::<f64>().sqrt();
            u.iter_mut().for_each(|a| *a /= length);
            let of_x: Vec<f64> = x.iter().map(|row| row.iter().zip(&u).map(|(a, b)| a * b).sum()).collect();
            v = (0..4).map(|z| y.iter().zip(&of_x).map(|(row, s)| row[z] * s / n as f64).sum()).collect();
            covariance = v.iter().map(|a| a * a).sum::<f64>().sqrt();
            v.iter_mut().for_each(|a| *a /= covariance);
        }
        assert!((found.singular_values[0] - covariance).abs() < 1e-5, "{:?} {covariance}", found.singular_values);
    }

    /// Centring features and centring M are the same.
    #[test]
    fn centred_features_are_a_centred_product() {
        let mut rng = Rng::new(4);
        let (x, y, r) = (random(40, 9, 3, &mut rng), random(30, 8, 4, &mut rng), random(40, 30, 2, &mut rng));
        let problem = ClickProblem { queries: &x, documents: &y, response: &r };
        let responses = r.rows().enumerate();
        let responses = responses.flat_map(|(i, row)| row.iter().map(move |(j, r)| (i, j as usize, f64::from(r))));
        let responses: Vec<_> = responses.collect();
        // The documents' side: what each query answers to, as one document of response 1.
        let n_of = |i: usize| responses.iter().filter(|r| r.0 == i).count() as f64;
        let plain_y = plain(&y);
        let mut answers = vec![vec![0.0; 8]; 40];
        for &(i, j, r) in &responses {
            (0..8).for_each(|v| answers[i][v] += r * plain_y[j][v] / n_of(i));
        }
        let centre = |rows: &Rows| -> Rows {
            let mean: Vec<f64> =
                (0..rows[0].len()).map(|z| rows.iter().map(|row| row[z]).sum::<f64>() / rows.len() as f64).collect();
            rows.iter().map(|row| row.iter().zip(&mean).map(|(x, m)| x - m).collect()).collect()
        };
        let each: Vec<_> = (0..40).map(|i| (i, i, 1.0)).collect();
        let m = qwd_testkit::rmls::cross_product(&centre(&plain(&x)), &centre(&answers), &each);
        for kept in [Kept::Whole, Kept::TwoFactors, Kept::ThreeFactors] {
            let product = CrossProduct::kept_as(kept, &problem, &Threads::default()).expect("a graph");
            let product = product.centred(&problem).expect("means");
            let found = fit(3, &product);
            let (a, b) = (dense(&found.queries), dense(&found.documents));
            for i in 0..3 {
                let aligned: f64 =
                    m.iter().zip(&a).map(|(m, a)| m.iter().zip(&b).map(|(m, b)| a[i] * m * b[i]).sum::<f64>()).sum();
                assert!((aligned - found.singular_values[i]).abs() < 1e-4 * aligned, "{kept:?} {i}");
            }
            // The same through tables, row by row.
            let eye =
                LatentRows::Dense { width: 8, numbers: (0..64).map(|i| f32::from(u8::from(i % 9 == 0))).collect() };
            let threads = Threads::default();
            let source = product.of_documents.source(&eye, &threads).expect("small");
            for (u, expected) in m.iter().enumerate() {
                let mut row = vec![0.0; 8];
                source.add(u, &mut row);
                assert!(
                    row.iter().zip(expected).all(|(x, y)| (f64::from(*x) - y).abs() < 1e-5),
                    "{row:?} {expected:?}"
                );
            }
        }
    }

    #[test]
    fn a_rank_above_that_of_the_data_is_capped() {
        let mut rng = Rng::new(3);
        let (x, y, r) = (random(9, 4, 2, &mut rng), random(7, 6, 3, &mut rng), random(9, 7, 2, &mut rng));
        let problem = ClickProblem { queries: &x, documents: &y, response: &r };
        let found = fit(100, &CrossProduct::new(&problem, &Threads::default()).expect("a graph"));
        assert_eq!((found.singular_values.len(), found.queries.width(), found.documents.n_rows()), (4, 4, 6));
        let empty = Csr::from_parts(4, vec![0; 10], vec![], vec![]).expect("valid");
        let nothing = ClickProblem { queries: &empty, ..problem };
        let error = PlsParams::default().build().expect("good").fit(&nothing, &Threads::default());
        assert!(error.expect_err("no features").to_string().contains("no query with features"));
    }
}
