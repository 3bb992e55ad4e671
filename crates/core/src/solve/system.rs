//! The systems of Newton's steps for few features, and the factor that solves them.
//!
//! ```text
//! [ XᵀDX + diag(ridge)   XᵀD1 ] [ dw ]   [ g      ]
//! [ 1ᵀDX                 1ᵀD1 ] [ db ] = [ border ]
//! ```
//!
//! Floor: n³/6 multiplications and additions of the factor.

use pulp::{Arch, Simd, WithSimd};

use super::moments::Moments;
use crate::panels::WIDTH;
use crate::vectors::{load, store};

/// What is added to the diagonal, of columns of one length, where rounding makes the factor indefinite: at first, and at
/// most.
const RIDGE: f64 = 1e-14;
const MOST: f64 = 1e-2;

/// A system of symmetric equations, factored: columns are scaled to one length first, and what rounding makes indefinite
/// gets a small ridge.
pub struct Equations {
    size: usize,
    /// Row by row, up to the diagonal.
    factor: Vec<f64>,
    scale: Vec<f64>,
}

impl Equations {
    /// Of a matrix (n, n), of which what is up to the diagonal is known.
    pub fn new(mut matrix: Vec<f64>, size: usize) -> Equations {
        let length = |j: usize| matrix[j * size + j];
        let scale: Vec<f64> =
            (0..size).map(|j| if length(j) > 0.0 { 1.0 / length(j).sqrt() } else { 1.0 }).collect();
        for j in 0..size {
            let line = &mut matrix[j * size..][..=j];
            line.iter_mut().zip(&scale).for_each(|(x, other)| *x *= scale[j] * other);
        }
        let (mut factor, mut least) = (matrix.clone(), RIDGE);
        loop {
            (0..size).for_each(|j| factor[j * size + j] += least);
            least *= 10.0;
            if make_factor(&mut factor, size) || least > MOST {
                return Equations { size, factor, scale };
            }
            factor.copy_from_slice(&matrix);
        }
    }

    /// x (n,) for a right-hand side (n,).
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (size, factor) = (self.size, &self.factor);
        let mut x: Vec<f64> = right.iter().zip(&self.scale).map(|(right, scale)| scale * right).collect();
        for j in 0..size {
            let line = &factor[j * size..][..=j];
            x[j] = (x[j] - dot(&line[..j], &x[..j])) / line[j];
        }
        for j in (0..size).rev() {
            let line = &factor[j * size..][..=j];
            x[j] /= line[j];
            let own = x[j];
            x[..j].iter_mut().zip(line).for_each(|(x, l)| *x -= own * l);
        }
        x.iter_mut().zip(&self.scale).for_each(|(x, scale)| *x *= scale);
        x
    }
}

/// The factor of a system, b eliminated.
pub struct System {
    inner: Equations,
    mean: Vec<f64>,
    /// 1ᵀD1; 0 where there is no b.
    total: f64,
}

impl System {
    /// Of sums over all rows, and what is added to the diagonal of each column.
    pub fn new(moments: &Moments, ridge: &[f64], intercept: bool) -> System {
        let (size, lower) = (ridge.len(), &moments.lower);
        let last = &lower[size * (size + 1)..];
        let total = if intercept && last[size] > 0.0 { last[size] } else { 0.0 };
        let mean: Vec<f64> =
            last[..size].iter().map(|sum| if total > 0.0 { sum / total } else { 0.0 }).collect();
        let mut matrix = vec![0.0; size * size];
        for j in 0..size {
            for k in 0..=j {
                matrix[j * size + k] = lower[j * (size + 1) + k] - total * mean[j] * mean[k];
            }
            matrix[j * size + j] += ridge[j];
        }
        System { inner: Equations::new(matrix, size), mean, total }
    }

    /// dw (d,) and db for the right-hand side g (d,) and `border`.
    pub fn solve(&self, g: &[f64], border: f64) -> (Vec<f64>, f64) {
        let right: Vec<f64> = g.iter().zip(&self.mean).map(|(g, mean)| g - border * mean).collect();
        let x = self.inner.solve(&right);
        let of_border = if self.total > 0.0 { border / self.total } else { 0.0 };
        let db = of_border - dot(&self.mean, &x);
        (x, db)
    }
}

/// Σ x_k y_k, eight at a time.
#[inline(always)]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((x, last_x), (y, last_y)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (x, y) in x.iter().zip(y) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + last_x.iter().zip(last_y).map(|(x, y)| x * y).sum::<f64>()
}

/// Lines of a factor whose products with as many lines above them are taken at once.
const TILE: usize = 4;
/// Lines that are made while a tile of those above them is near the core.
const TOGETHER: usize = 8 * TILE;

/// Makes Cholesky's factor of a matrix (n, n) in its place, row by row up to the diagonal; false where it is not positive
/// definite. Floor: n³/6 multiplications and additions.
fn make_factor(matrix: &mut [f64], size: usize) -> bool {
    Arch::new().dispatch(Factoring { matrix, size })
}

struct Factoring<'a> {
    matrix: &'a mut [f64],
    size: usize,
}

impl WithSimd for Factoring<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        match S::F64_LANES {
            8 => self.make::<S, 1, TILE>(simd),
            4 => self.make::<S, 2, 1>(simd),
            2 => self.make::<S, 4, 1>(simd),
            _ => self.make::<S, 8, 1>(simd),
        }
    }
}

impl Factoring<'_> {
    /// Makes all lines, with the products of so many lines above at once as there are registers for.
    #[inline(always)]
    fn make<S: Simd, const V: usize, const A: usize>(self, simd: S) -> bool {
        let Factoring { matrix, size } = self;
        for first in (0..size).step_by(TOGETHER) {
            let own = first..size.min(first + TOGETHER);
            for k in (0..first).step_by(TILE) {
                own.clone().step_by(TILE).for_each(|j| divide::<S, V, A>(simd, matrix, size, k, j));
            }
            for j in own.clone().step_by(TILE) {
                (first..j).step_by(TILE).for_each(|k| divide::<S, V, A>(simd, matrix, size, k, j));
                if !make_diagonal(&mut matrix[j * size..own.end.min(j + TILE) * size], size, j) {
                    return false;
                }
            }
        }
        true
    }
}

/// Makes the columns from k on, as many as a tile has, of the lines from j on: those above them are made.
#[inline(always)]
fn divide<S: Simd, const V: usize, const A: usize>(
    simd: S,
    matrix: &mut [f64],
    size: usize,
    k: usize,
    j: usize,
) {
    let (above, own) = matrix.split_at_mut(j * size);
    let above = &above[k * size..][..TILE * size];
    let own = &mut own[..TILE.min(size - j) * size];
    if own.len() == above.len() {
        for a in (0..TILE).step_by(A) {
            let sums = dots::<S, V, A>(simd, &above[a * size..], own, size, k);
            for (own, sums) in own.chunks_exact_mut(size).zip(sums) {
                own[k + a..].iter_mut().zip(sums).for_each(|(x, sum)| *x -= sum);
            }
        }
    } else {
        for own in own.chunks_exact_mut(size) {
            for (a, line) in above.chunks_exact(size).enumerate() {
                own[k + a] -= dot(&line[..k], &own[..k]);
            }
        }
    }
    for own in own.chunks_exact_mut(size) {
        for (a, line) in above.chunks_exact(size).enumerate() {
            own[k + a] = (own[k + a] - dot(&line[k..k + a], &own[k..k + a])) / line[k + a];
        }
    }
}

/// Makes the end of each of a tile's lines, of which the first is the j-th; false where the matrix is not positive definite.
#[inline(always)]
fn make_diagonal(lines: &mut [f64], size: usize, j: usize) -> bool {
    for r in 0..lines.len() / size {
        let (above, own) = lines.split_at_mut(r * size);
        for (a, line) in above.chunks_exact(size).enumerate() {
            own[j + a] = (own[j + a] - dot(&line[..j + a], &own[..j + a])) / line[j + a];
        }
        let left = own[j + r] - dot(&own[..j + r], &own[..j + r]);
        own[j + r] = left.sqrt();
        if left.is_nan() || left <= 0.0 {
            return false;
        }
    }
    true
}

/// The products of the first n numbers of some lines (A, size) with those of others (TILE, size); eight sums of each
/// whatever the processor holds.
#[inline(always)]
fn dots<S: Simd, const V: usize, const A: usize>(
    simd: S,
    lines: &[f64],
    others: &[f64],
    size: usize,
    n: usize,
) -> [[f64; A]; TILE] {
    let mut above: [&[[f64; WIDTH]]; A] = [&[]; A];
    let mut own: [&[[f64; WIDTH]]; TILE] = [&[]; TILE];
    let whole = n / WIDTH;
    (0..A).for_each(|a| above[a] = &lines[a * size..].as_chunks().0[..whole]);
    (0..TILE).for_each(|r| own[r] = &others[r * size..].as_chunks().0[..whole]);
    let mut sums = [[[simd.splat_f64s(0.0); V]; A]; TILE];
    for k in 0..whole {
        let mut held = [[simd.splat_f64s(0.0); V]; A];
        (0..A).for_each(|a| held[a] = load::<S, f64, WIDTH, V>(simd, &above[a][k]));
        for r in 0..TILE {
            let line = load::<S, f64, WIDTH, V>(simd, &own[r][k]);
            for a in 0..A {
                for v in 0..V {
                    sums[r][a][v] = simd.mul_add_f64s(held[a][v], line[v], sums[r][a][v]);
                }
            }
        }
    }
    let (rest, mut found) = (whole * WIDTH..n, [[0.0; A]; TILE]);
    for r in 0..TILE {
        for a in 0..A {
            let mut held = [0.0; WIDTH];
            store::<S, f64, WIDTH, V>(sums[r][a], &mut held);
            let (line, other) = (&lines[a * size..][rest.clone()], &others[r * size..][rest.clone()]);
            found[r][a] = held.iter().sum::<f64>() + line.iter().zip(other).map(|(x, y)| x * y).sum::<f64>();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::few::Few;
    use super::super::moments::{BLOCK, LEAST};
    use super::*;
    use crate::rows::Rows;
    use proptest::prelude::*;

    /// What the system makes of a step, product by product.
    fn applied(x: &[f64], d: usize, weight: &[f64], ridge: &[f64], dw: &[f64], db: f64) -> (Vec<f64>, f64) {
        let (mut g, mut border): (Vec<f64>, f64) = (ridge.iter().zip(dw).map(|(r, w)| r * w).collect(), 0.0);
        for (row, weight) in x.chunks(d).zip(weight) {
            let s = weight * (row.iter().zip(dw).map(|(x, w)| x * w).sum::<f64>() + db);
            g.iter_mut().zip(row).for_each(|(g, x)| *g += s * x);
            border += s;
        }
        (g, border)
    }

    proptest! {
        #[test]
        fn a_step_solves_the_system_of_dense_and_of_sparse_rows(
            d in prop_oneof![1_usize..20, Just(39), Just(70)],
            many in prop_oneof![1_usize..40, Just(3 * BLOCK + 5), Just(2 * LEAST + 7)],
            intercept: bool,
            size in -3_i32..4,
        ) {
            let number = |k: usize| ((k as f64 * 0.7391).sin() * 1e4).fract() * 10_f64.powi(size);
            let x: Vec<f64> = (0..many * d).map(|k| if k % 5 == 0 { 0.0 } else { number(k) }).collect();
            let weight: Vec<f64> = (0..many).map(|i| [0.0, 1.0, 0.3][i % 3]).collect();
            let u: Vec<f64> = (0..many).map(|i| number(i + 3)).collect();
            let ridge = vec![10_f64.powi(2 * size); d];
            let dense = Rows::<f64, i32>::dense(&x, many, d).unwrap();
            let indices: Vec<i32> = (0..many * d).map(|k| i32::try_from(k % d).unwrap()).collect();
            let indptr: Vec<i32> = (0..=many).map(|i| i32::try_from(i * d).unwrap()).collect();
            let sparse = Rows::sparse(&x, &indices, &indptr, d).unwrap();
            let g: Vec<f64> = (0..d).map(|j| number(j + 7)).collect();
            for rows in [Few::new(&dense), Few::as_they_stand(&dense), Few::new(&sparse)] {
                let moments = Moments::of(&rows, &weight, &u).unwrap();
                let border = if intercept && many > 1 { 0.4 } else { 0.0 };
                let (dw, mut db) = System::new(&moments, &ridge, intercept).solve(&g, border);
                if !intercept {
                    db = 0.0;
                }
                let (found, sum) = applied(&x, d, &weight, &ridge, &dw, db);
                let most = g.iter().fold(border, |most, g| most.max(g.abs()));
                for (found, g) in found.iter().zip(&g) {
                    prop_assert!((found - g).abs() <= 1e-7 * most.max(1e-300), "{found} {g}");
                }
                if intercept && many > 1 {
                    prop_assert!((sum - border).abs() <= 1e-7 * most.max(1.0), "{sum}");
                }
                for (sums, sign) in [(&moments.up, 1.0), (&moments.down, -1.0)] {
                    let own = |u: &f64| if u * sign > 0.0 { *u } else { 0.0 };
                    let total: f64 = u.iter().map(own).sum();
                    prop_assert!((sums.1 - total).abs() <= 1e-9 * total.abs());
                    let first: f64 = x.chunks(d).zip(&u).map(|(row, u)| row[0] * own(u)).sum();
                    let size: f64 = x.chunks(d).zip(&u).map(|(row, u)| (row[0] * own(u)).abs()).sum();
                    prop_assert!((sums.0[0] - first).abs() <= 1e-12 * size);
                }
            }
        }
    }

    #[test]
    fn a_factor_of_any_size_gives_the_matrix_back() {
        for size in [1, 7, 8, 9, 40, 131] {
            let number = |k: usize| ((k as f64 * 0.7391).sin() * 1e4).fract();
            let mut lower = vec![0.0; size * size];
            for j in 0..size {
                (0..j).for_each(|k| lower[j * size + k] = number(j * size + k));
                lower[j * size + j] = 1.0 + number(j).abs();
            }
            let mut matrix = vec![0.0; size * size];
            for j in 0..size {
                for k in 0..=j {
                    matrix[j * size + k] = dot(&lower[j * size..][..=k], &lower[k * size..][..=k]);
                }
            }
            let kept = matrix.clone();
            assert!(make_factor(&mut matrix, size));
            for j in 0..size {
                for k in 0..=j {
                    let again = dot(&matrix[j * size..][..=k], &matrix[k * size..][..=k]);
                    assert!((again - kept[j * size + k]).abs() < 1e-9 * (1.0 + kept[j * size + k].abs()));
                }
            }
            matrix.fill(1.0);
            assert_eq!(make_factor(&mut matrix, size), size == 1);
        }
    }

    #[test]
    fn a_system_that_is_none_gives_numbers_that_are_none_and_ends() {
        let rows = Rows::<f64, i32>::dense(&[f64::NAN, 1.0], 1, 2).unwrap();
        let rows = Few::new(&rows);
        let moments = Moments::of(&rows, &[1.0], &[]).unwrap();
        assert!(System::new(&moments, &[1.0; 2], false).solve(&[1.0; 2], 0.0).0.iter().any(|x| x.is_nan()));
        let none = Moments::of(&rows, &[0.0], &[]).unwrap();
        let (dw, db) = System::new(&none, &[2.0; 2], true).solve(&[1.0, 4.0], 0.0);
        assert!((dw[0] - 0.5).abs() < 1e-12 && (dw[1] - 2.0).abs() < 1e-12 && db == 0.0);
    }

    /// The lower half of a matrix that is positive definite.
    fn definite(size: usize) -> Vec<f64> {
        let mut matrix = vec![0.0; size * size];
        for j in 0..size {
            (0..j).for_each(|k| matrix[j * size + k] = ((j * 7 + k * 3) as f64).sin());
            matrix[j * size + j] = 2.0 * size as f64;
        }
        matrix
    }

    #[test]
    fn a_factor_is_one_of_its_matrix_and_the_same_whatever_the_processor_holds() {
        for size in [1, 3, 4, 5, 31, 32, 33, 64, 70, 101] {
            let (matrix, mut factor) = (definite(size), definite(size));
            assert!(make_factor(&mut factor, size));
            for j in 0..size {
                for k in 0..=j {
                    let product = dot(&factor[j * size..][..=k], &factor[k * size..][..=k]);
                    assert!((product - matrix[j * size + k]).abs() <= 1e-12 * size as f64);
                }
            }
            let mut plain = matrix;
            let plainly = Factoring { matrix: &mut plain, size };
            assert!(plainly.make::<pulp::Scalar, WIDTH, 1>(pulp::Scalar::new()));
            assert!(plain == factor, "{size}");
        }
        assert!(!make_factor(&mut [1.0, 0.0, 2.0, 1.0], 2));
    }
}
