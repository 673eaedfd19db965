//! Sums over the pairs of one query: by a sort and a walk, or pair by pair in a short list. `pairs.rs` says why.

use crate::pairs::{Along, Chunk, List};

/// Scratch space of one chunk.
#[derive(Default)]
pub(crate) struct Work {
    s: Vec<f64>,
    d: Vec<f64>,
    c: Vec<f64>,
    order: Vec<u32>,
    better: Vec<u32>,
    worse: Vec<u32>,
}

/// Running sums over the partners of a document.
#[derive(Clone, Copy, Default)]
struct Partners {
    n: f64,
    s: f64,
    ss: f64,
    d: f64,
    dd: f64,
    sd: f64,
}

impl Partners {
    fn add(&mut self, s: f64, d: f64) {
        self.n += 1.0;
        self.s += s;
        self.ss += s * s;
        self.d += d;
        self.dd += d * d;
        self.sd += s * d;
    }
}

impl Work {
    fn load(&mut self, chunk: &Chunk, list: &List, scores: &[f64], direction: Option<&[f64]>, step: f64) {
        let rows = &chunk.documents[list.documents.clone()];
        let scores = &scores[chunk.rows.clone()];
        self.s.clear();
        self.d.clear();
        self.s.extend(rows.iter().map(|&row| scores[row as usize]));
        if let Some(direction) = direction {
            let direction = &direction[chunk.rows.clone()];
            self.d.extend(rows.iter().map(|&row| direction[row as usize]));
            if step != 0.0 {
                self.s.iter_mut().zip(&self.d).for_each(|(s, d)| *s += step * d);
            }
        }
        self.c.clear();
        self.c.resize(rows.len(), 0.0);
        if list.by_sorting {
            self.order.clear();
            self.order.extend(0..rows.len() as u32);
            let s = &self.s;
            self.order.sort_unstable_by(|&a, &b| s[b as usize].total_cmp(&s[a as usize]).then(a.cmp(&b)));
        }
    }

    fn store(&self, chunk: &Chunk, list: &List, out: &mut [f64]) {
        for (&row, c) in chunk.documents[list.documents.clone()].iter().zip(&self.c) {
            out[row as usize] = *c;
        }
    }

    /// The documents of one grade and those of all lower ones, each by descending score.
    fn split(&mut self, start: usize, end: usize) {
        self.better.clear();
        self.worse.clear();
        for &i in &self.order {
            if (i as usize) < start {
                self.worse.push(i);
            } else if (i as usize) < end {
                self.better.push(i);
            }
        }
    }

    /// Walks over the better documents by descending score, each with the sums over its worse partners inside the margin.
    fn each_better(&self, margin: f64, mut f: impl FnMut(usize, &Partners)) {
        let mut partners = Partners::default();
        let mut next = 0;
        for &i in &self.better {
            let i = i as usize;
            while let Some(&j) = self.worse.get(next).filter(|&&j| self.s[j as usize] > self.s[i] - margin) {
                partners.add(self.s[j as usize], self.d.get(j as usize).copied().unwrap_or(0.0));
                next += 1;
            }
            f(i, &partners);
        }
    }

    /// Walks over the worse documents by ascending score, each with the sums over its better partners inside the margin.
    fn each_worse(&self, margin: f64, mut f: impl FnMut(usize, &Partners)) {
        let mut partners = Partners::default();
        let mut next = self.better.len();
        for &j in self.worse.iter().rev() {
            let j = j as usize;
            while next > 0 && self.s[j] > self.s[self.better[next - 1] as usize] - margin {
                next -= 1;
                let i = self.better[next] as usize;
                partners.add(self.s[i], self.d.get(i).copied().unwrap_or(0.0));
            }
            f(j, &partners);
        }
    }

    pub(crate) fn gradient(&mut self, chunk: &Chunk, list: &List, scores: &[f64], margin: f64, out: &mut [f64]) -> f64 {
        self.load(chunk, list, scores, None, 0.0);
        let mut loss = 0.0;
        for (start, end) in list.grades(self.s.len()) {
            if list.by_sorting {
                self.split(start, end);
                let mut c = std::mem::take(&mut self.c);
                self.each_better(margin, |i, p| {
                    let m = margin - self.s[i];
                    c[i] -= p.n * m + p.s;
                    loss += (p.n * m + 2.0 * p.s) * m + p.ss;
                });
                self.each_worse(margin, |j, p| c[j] += p.n * (margin + self.s[j]) - p.s);
                self.c = c;
            } else {
                let (worse_c, better_c) = self.c.split_at_mut(start);
                let (worse_s, better_s) = self.s.split_at(start);
                for (s_i, c_i) in better_s[..end - start].iter().zip(better_c) {
                    let m = margin - s_i;
                    let (mut sum, mut squares) = (0.0, 0.0);
                    for (s_j, c_j) in worse_s.iter().zip(worse_c.iter_mut()) {
                        let missing = (m + s_j).max(0.0);
                        *c_j += missing;
                        sum += missing;
                        squares += missing * missing;
                    }
                    *c_i -= sum;
                    loss += squares;
                }
            }
        }
        self.store(chunk, list, out);
        // A sum of squares written as a difference of sums may come out a rounding below 0.
        loss.max(0.0)
    }

    pub(crate) fn along(
        &mut self,
        chunk: &Chunk,
        list: &List,
        scores: &[f64],
        direction: &[f64],
        step: f64,
        margin: f64,
    ) -> Along {
        self.load(chunk, list, scores, Some(direction), step);
        let mut sum = Along::default();
        for (start, end) in list.grades(self.s.len()) {
            if list.by_sorting {
                self.split(start, end);
                self.each_better(margin, |i, p| {
                    let (m, d) = (margin - self.s[i], self.d[i]);
                    sum.slope -= m * (p.n * d - p.d) + d * p.s - p.sd;
                    sum.curvature += (p.n * d - 2.0 * p.d) * d + p.dd;
                });
            } else {
                let (worse_s, worse_d) = (&self.s[..start], &self.d[..start]);
                for (s_i, d_i) in self.s[start..end].iter().zip(&self.d[start..end]) {
                    let m = margin - s_i;
                    let (mut slope, mut curvature) = (0.0, 0.0);
                    for (s_j, d_j) in worse_s.iter().zip(worse_d) {
                        let missing = (m + s_j).max(0.0);
                        let difference = d_i - d_j;
                        slope -= missing * difference;
                        curvature += if missing > 0.0 { difference * difference } else { 0.0 };
                    }
                    sum.slope += slope;
                    sum.curvature += curvature;
                }
            }
        }
        sum
    }

    pub(crate) fn curvature_product(
        &mut self,
        chunk: &Chunk,
        list: &List,
        scores: &[f64],
        direction: &[f64],
        margin: f64,
        out: &mut [f64],
    ) {
        self.load(chunk, list, scores, Some(direction), 0.0);
        for (start, end) in list.grades(self.s.len()) {
            if list.by_sorting {
                self.split(start, end);
                let mut c = std::mem::take(&mut self.c);
                self.each_better(margin, |i, p| c[i] += p.n * self.d[i] - p.d);
                self.each_worse(margin, |j, p| c[j] += p.n * self.d[j] - p.d);
                self.c = c;
            } else {
                for i in start..end {
                    let (m, d_i) = (margin - self.s[i], self.d[i]);
                    let mut sum = 0.0;
                    for j in 0..start {
                        let difference = if m + self.s[j] > 0.0 { d_i - self.d[j] } else { 0.0 };
                        self.c[j] -= difference;
                        sum += difference;
                    }
                    self.c[i] += sum;
                }
            }
        }
        self.store(chunk, list, out);
    }

    pub(crate) fn hinge(&mut self, chunk: &Chunk, list: &List, scores: &[f64], margin: f64, out: &mut [f64]) -> f64 {
        self.load(chunk, list, scores, None, 0.0);
        let mut loss = 0.0;
        for (start, end) in list.grades(self.s.len()) {
            if list.by_sorting {
                self.split(start, end);
                let mut c = std::mem::take(&mut self.c);
                self.each_better(margin, |i, p| {
                    c[i] -= p.n;
                    loss += p.n * (margin - self.s[i]) + p.s;
                });
                self.each_worse(margin, |j, p| c[j] += p.n);
                self.c = c;
            } else {
                for i in start..end {
                    for j in 0..start {
                        let missing = margin - self.s[i] + self.s[j];
                        if missing > 0.0 {
                            self.c[i] -= 1.0;
                            self.c[j] += 1.0;
                            loss += missing;
                        }
                    }
                }
            }
        }
        self.store(chunk, list, out);
        loss
    }
}
