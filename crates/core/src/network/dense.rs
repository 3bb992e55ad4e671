//! Products of small dense matrices, whose sums have one order on any processor and any number of threads.
//!
//! ```text
//! C (n, m) = A·B       c_ij = Σ_k a_ik b_kj, k ascending, each addition fused with its multiplication
//! ```
//!
//! B lies in panels of a few columns, a stretch of one in the first cache, and a tile of C in the registers while k goes
//! by: Goto & van de Geijn, ACM TOMS 34 (2008). Floor: n·m·k fused operations.

use pulp::{Arch, Simd, WithSimd};
use rayon::current_num_threads;

use crate::parallel::fill;
use crate::vectors::Float;

/// Multiplications that are worth another thread.
pub(super) const WORTH: usize = 1 << 20;
/// Rows that a thread takes at once, at most; parts of them are a whole number of tiles of any size.
const STRETCH: usize = 96;
const PART: usize = 24;
/// How deep a stretch of a panel is: with two registers a line, it fills most of the first cache.
const DEPTH: usize = 256;

/// The registers of the widest processor hold so many numbers, two of them.
const WIDEST: usize = 32;

/// A matrix, or the one whose transpose it is: line by line, with so many columns.
#[derive(Clone, Copy)]
pub enum Matrix<'a, T> {
    /// These lines.
    Lines(&'a [T], usize),
    /// These are its columns.
    Turned(&'a [T], usize),
}

impl<T> Matrix<'_, T> {
    fn shape(&self) -> (usize, usize) {
        match *self {
            Matrix::Lines(values, columns) => (values.len() / columns.max(1), columns),
            Matrix::Turned(values, columns) => (columns, values.len() / columns.max(1)),
        }
    }
}

/// C = A·B, or C + A·B where it `adds`, line by line; `bench` keeps B's panels.
///
/// # Panics
///
/// Where the shapes do not fit together.
pub fn product<T: Float>(a: Matrix<'_, T>, b: Matrix<'_, T>, c: &mut [T], adds: bool, bench: &mut Vec<T>) {
    let ((rows, depth), (below, columns)) = (a.shape(), b.shape());
    assert!(depth == below && c.len() == rows * columns, "matrices that fit together");
    if depth == 0 || c.is_empty() {
        if !adds {
            c.fill(T::default());
        }
        return;
    }
    Arch::new().dispatch(Pack { b, columns, depth, bench });
    let panels = &bench[..];
    let threads = if c.len() * depth < WORTH { 1 } else { current_num_threads() };
    let stretch = (rows.div_ceil(threads).div_ceil(PART) * PART).min(STRETCH);
    let part = |k: usize, c: &mut [T]| {
        let part = Part { a, panels, columns, depth, first: k * stretch, c, adds, own: Vec::new(), rows: 0 };
        Arch::new().dispatch(part);
    };
    if threads == 1 {
        c.chunks_mut(stretch * columns).enumerate().for_each(|(k, c)| part(k, c));
    } else {
        fill(c, stretch * columns, &part);
    }
}

/// B into panels of two registers a line, the last of one where that is enough; what is beyond B's columns is 0.
struct Pack<'a, T> {
    b: Matrix<'a, T>,
    columns: usize,
    depth: usize,
    bench: &'a mut Vec<T>,
}

impl<T: Float> WithSimd for Pack<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Pack { b, columns, depth, bench } = self;
        let width = T::count::<S>();
        bench.resize(columns.div_ceil(width) * width * depth, T::default());
        let (mut rest, mut j) = (&mut bench[..], 0);
        while j < columns {
            let wide = if columns - j > width { 2 * width } else { width };
            let here = wide.min(columns - j);
            let (panel, others) = rest.split_at_mut(wide * depth);
            if here < wide {
                panel.fill(T::default());
            }
            match b {
                Matrix::Lines(b, _) => {
                    for k in 0..depth {
                        let (line, b) = (&mut panel[k * wide..][..wide], &b[k * columns + j..][..here]);
                        if here == 2 * width {
                            let (line, b) = (T::lanes_mut::<S>(line), T::lanes::<S>(b));
                            (line[0], line[1]) = (b[0], b[1]);
                        } else {
                            line[..here].copy_from_slice(b);
                        }
                    }
                }
                Matrix::Turned(b, _) => {
                    for place in 0..here {
                        let b = &b[(j + place) * depth..][..depth];
                        for k in 0..depth {
                            panel[k * wide + place] = b[k];
                        }
                    }
                }
            }
            (rest, j) = (others, j + here);
        }
    }
}

/// Some lines of C, from the `first` on.
struct Part<'a, T> {
    a: Matrix<'a, T>,
    panels: &'a [T],
    columns: usize,
    depth: usize,
    first: usize,
    c: &'a mut [T],
    adds: bool,
    /// Of A turned what these lines need, (depth, rows).
    own: Vec<T>,
    rows: usize,
}

impl<T: Float> WithSimd for Part<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        self.rows = self.c.len() / self.columns;
        if let Matrix::Turned(a, columns) = self.a {
            self.own.reserve_exact(self.rows * self.depth);
            for k in 0..self.depth {
                self.own.extend_from_slice(&a[k * columns + self.first..][..self.rows]);
            }
        }
        let (width, mut j, mut panels) = (T::count::<S>(), 0, self.panels);
        while j < self.columns {
            let here = (2 * width).min(self.columns - j);
            let wide = if here > width { 2 * width } else { width };
            let (panel, others) = panels.split_at(wide * self.depth);
            for (k, stretch) in panel.chunks(wide * DEPTH).enumerate() {
                if here > width {
                    self.tiles::<S, 2>(simd, stretch, k * DEPTH, j, here);
                } else {
                    self.tiles::<S, 1>(simd, stretch, k * DEPTH, j, here);
                }
            }
            (panels, j) = (others, j + here);
        }
    }
}

impl<T: Float> Part<'_, T> {
    /// Add what lines from `k` on of a panel bring, to C's columns from `j` on.
    #[inline(always)]
    fn tiles<S: Simd, const V: usize>(&mut self, simd: S, panel: &[T], k: usize, j: usize, here: usize) {
        let (panel, _) = T::lanes::<S>(panel).as_chunks::<V>();
        let mut i = 0;
        while S::REGISTER_COUNT >= 32 && i + 8 <= self.rows {
            self.tile::<S, V, 8>(simd, panel, k, i, j, here);
            i += 8;
        }
        while S::REGISTER_COUNT < 32 && i + 6 <= self.rows {
            self.tile::<S, V, 6>(simd, panel, k, i, j, here);
            i += 6;
        }
        while i + 4 <= self.rows {
            self.tile::<S, V, 4>(simd, panel, k, i, j, here);
            i += 4;
        }
        while i < self.rows {
            self.tile::<S, V, 1>(simd, panel, k, i, j, here);
            i += 1;
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const V: usize, const R: usize>(
        &mut self,
        simd: S,
        panel: &[[T::Lanes<S>; V]],
        k: usize,
        i: usize,
        j: usize,
        here: usize,
    ) {
        let full = here == V * T::count::<S>();
        let mut sums = [[T::splat(simd, T::default()); V]; R];
        let columns = self.columns;
        if self.adds || k > 0 {
            for r in 0..R {
                let line = &self.c[(i + r) * columns + j..][..here];
                if full {
                    let line = &T::lanes::<S>(line)[..V];
                    for v in 0..V {
                        sums[r][v] = line[v];
                    }
                } else {
                    let mut whole = [T::default(); WIDEST];
                    whole[..here].copy_from_slice(line);
                    let line = &T::lanes::<S>(&whole)[..V];
                    for v in 0..V {
                        sums[r][v] = line[v];
                    }
                }
            }
        }
        match self.a {
            Matrix::Lines(a, depth) => {
                let mut rows = [a; R];
                for r in 0..R {
                    rows[r] = &a[(self.first + i + r) * depth + k..][..panel.len()];
                }
                for k in 0..panel.len() {
                    for r in 0..R {
                        let x = T::splat(simd, rows[r][k]);
                        for v in 0..V {
                            sums[r][v] = T::mul_add(simd, x, panel[k][v], sums[r][v]);
                        }
                    }
                }
            }
            Matrix::Turned(..) => {
                let own = &self.own[k * self.rows..];
                for k in 0..panel.len() {
                    let x = &own[k * self.rows + i..][..R];
                    for r in 0..R {
                        let x = T::splat(simd, x[r]);
                        for v in 0..V {
                            sums[r][v] = T::mul_add(simd, x, panel[k][v], sums[r][v]);
                        }
                    }
                }
            }
        }
        for r in 0..R {
            let line = &mut self.c[(i + r) * columns + j..][..here];
            if full {
                let line = &mut T::lanes_mut::<S>(line)[..V];
                for v in 0..V {
                    line[v] = sums[r][v];
                }
            } else {
                let mut whole = [T::default(); WIDEST];
                let registers = &mut T::lanes_mut::<S>(&mut whole)[..V];
                for v in 0..V {
                    registers[v] = sums[r][v];
                }
                line.copy_from_slice(&whole[..here]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::ThreadPoolBuilder;

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f64 / 504.0 - 1.0).collect()
    }

    fn turned(values: &[f64], columns: usize) -> Vec<f64> {
        (0..values.len())
            .map(|i| values[i % (values.len() / columns) * columns + i / (values.len() / columns)])
            .collect()
    }

    /// One sum after the other.
    fn slow(a: &[f64], b: &[f64], c: &mut [f64], depth: usize, columns: usize) {
        for (i, c) in c.iter_mut().enumerate() {
            let (row, column) = (i / columns, i % columns);
            *c = (0..depth).fold(*c, |sum, k| a[row * depth + k].mul_add(b[k * columns + column], sum));
        }
    }

    #[test]
    fn products_are_the_sums_in_their_order_to_the_last_bit() {
        let sizes = [1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 97];
        for (n, &rows) in sizes.iter().enumerate() {
            for (m, &columns) in sizes.iter().enumerate() {
                let depth = [1, 4, 19, 255, 256, 257, 530][(n + m) % 7];
                let (a, b) = (numbers(rows * depth, n), numbers(depth * columns, m));
                let (at, bt) = (turned(&a, depth), turned(&b, columns));
                for adds in [false, true] {
                    let mut wanted =
                        if adds { numbers(rows * columns, 3) } else { vec![0.0; rows * columns] };
                    let given = wanted.clone();
                    slow(&a, &b, &mut wanted, depth, columns);
                    let mut bench = vec![f64::NAN; 7];
                    for a in [Matrix::Lines(&a, depth), Matrix::Turned(&at, rows)] {
                        for b in [Matrix::Lines(&b, columns), Matrix::Turned(&bt, depth)] {
                            let mut found = given.clone();
                            product(a, b, &mut found, adds, &mut bench);
                            assert_eq!(found, wanted, "{rows} × {depth} × {columns}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn threads_change_no_bit() {
        let (rows, depth, columns) = (301, 311, 67);
        let (a, b) = (numbers(rows * depth, 1), numbers(depth * columns, 2));
        let mut wanted = vec![0.0; rows * columns];
        slow(&a, &b, &mut wanted, depth, columns);
        for threads in [1, 2, 3, 7] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut found = vec![1.0; rows * columns];
            let (a, b) = (Matrix::Lines(&a, depth), Matrix::Lines(&b, columns));
            pool.install(|| product(a, b, &mut found, false, &mut Vec::new()));
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn nothing_in_between_is_zero_or_what_was_there() {
        for adds in [false, true] {
            let mut c = [2.0; 6];
            product(Matrix::Lines(&[], 0), Matrix::Turned(&[], 0), &mut c[..0], adds, &mut Vec::new());
            assert_eq!(c, [2.0; 6]);
        }
    }
}
