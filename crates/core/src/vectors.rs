//! Numbers in the vector registers of a processor.
//!
//! Loops over the vectors of a row are unrolled, and their sums stay in registers, at any level of optimisation. Loops
//! over its numbers become such only at the highest.

use pulp::Simd;

/// A number that registers hold: float32, or float64.
pub trait Float: Copy + Send + Sync + Default + 'static {
    /// As many as a register holds.
    type Lanes<S: Simd>: Copy;
    /// A row as registers, without what is left over.
    fn lanes<S: Simd>(row: &[Self]) -> &[Self::Lanes<S>];
    /// The same, to be written.
    fn lanes_mut<S: Simd>(row: &mut [Self]) -> &mut [Self::Lanes<S>];
    /// How many a register holds.
    fn count<S: Simd>() -> usize;
    /// One number in all places.
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Lanes<S>;
    /// a·b + c, rounded once.
    fn mul_add<S: Simd>(simd: S, a: Self::Lanes<S>, b: Self::Lanes<S>, c: Self::Lanes<S>) -> Self::Lanes<S>;
}

macro_rules! float {
    ($type:ty, $lanes:ident, $count:ident, $as:ident, $as_mut:ident, $splat:ident, $mul_add:ident) => {
        impl Float for $type {
            type Lanes<S: Simd> = S::$lanes;

            #[inline(always)]
            fn lanes<S: Simd>(row: &[$type]) -> &[S::$lanes] {
                S::$as(row).0
            }

            #[inline(always)]
            fn lanes_mut<S: Simd>(row: &mut [$type]) -> &mut [S::$lanes] {
                S::$as_mut(row).0
            }

            #[inline(always)]
            fn count<S: Simd>() -> usize {
                S::$count
            }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: $type) -> S::$lanes {
                simd.$splat(x)
            }

            #[inline(always)]
            fn mul_add<S: Simd>(simd: S, a: S::$lanes, b: S::$lanes, c: S::$lanes) -> S::$lanes {
                simd.$mul_add(a, b, c)
            }
        }
    };
}

float!(f32, f32s, F32_LANES, as_simd_f32s, as_mut_simd_f32s, splat_f32s, mul_add_f32s);
float!(f64, f64s, F64_LANES, as_simd_f64s, as_mut_simd_f64s, splat_f64s, mul_add_f64s);

/// The vectors of a row of L numbers, V of them.
#[inline(always)]
pub fn load<S: Simd, R: Float, const L: usize, const V: usize>(simd: S, row: &[R; L]) -> [R::Lanes<S>; V] {
    let from = &R::lanes::<S>(row)[..V];
    let mut vectors = [R::splat(simd, R::default()); V];
    for v in 0..V {
        vectors[v] = from[v];
    }
    vectors
}

/// Writes V vectors to the row of L numbers that they hold.
#[inline(always)]
pub fn store<S: Simd, R: Float, const L: usize, const V: usize>(vectors: [R::Lanes<S>; V], row: &mut [R; L]) {
    let to = &mut R::lanes_mut::<S>(row)[..V];
    for v in 0..V {
        to[v] = vectors[v];
    }
}

/// The sums, and to each of them what is in its place of the row times z.
#[inline(always)]
pub fn add_row<S: Simd, R: Float, const L: usize, const V: usize>(
    simd: S,
    row: &[R; L],
    z: R,
    mut sums: [R::Lanes<S>; V],
) -> [R::Lanes<S>; V] {
    let (row, z) = (&R::lanes::<S>(row)[..V], R::splat(simd, z));
    for v in 0..V {
        sums[v] = R::mul_add(simd, row[v], z, sums[v]);
    }
    sums
}
