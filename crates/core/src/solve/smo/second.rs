//! The second of two coefficients: the one that promises the largest decrease (Fan, Chen & Lin 2005, WSS 2).

use super::pairs::{FLAT, State, WIDE};
use crate::kernel::Real;

/// The largest gain of each lane, and the block it is in.
struct Best {
    gain: [f32; WIDE],
    block: [f32; WIDE],
}

impl Best {
    /// The gain at −G_i = top against a coefficient of gradient g, kernel k with the first, and both diagonals summed.
    #[inline(always)]
    fn tell(&mut self, l: usize, block: f32, above: f64, k: f32, diagonals: f32) {
        let b = above as f32;
        let a = diagonals - 2.0 * k;
        let a = if a > FLAT as f32 { a } else { FLAT as f32 };
        let gain = if b > 0.0 { b * (b / a) } else { 0.0 };
        let better = gain > self.gain[l];
        self.gain[l] = if better { gain } else { self.gain[l] };
        self.block[l] = if better { block } else { self.block[l] };
    }

    /// The first place of the largest gain.
    fn place(&self) -> usize {
        let (mut gain, mut at) = (0.0, usize::MAX);
        for l in 0..WIDE {
            let block = self.block[l];
            let place = if block.is_finite() { block as usize * WIDE + l } else { usize::MAX };
            if self.gain[l] > gain || (self.gain[l] == gain && place < at) {
                (gain, at) = (self.gain[l], place);
            }
        }
        at
    }
}

/// Of those that may fall, the one that promises most: (−G_i + G_j)² / (K_ii + K_jj − 2 K_ij).
#[inline(always)]
pub(super) fn second<R: Real>(state: &State, ki: &[R], i: usize, top: f64, from: usize, to: usize) -> usize {
    let own = state.about[i];
    let (g, fall) = (&state.gradient[from..to], &state.fall[from..to]);
    let (k, diagonal) = (&ki[from..to], &state.about[from..to]);
    let mut best = Best { gain: [0.0; WIDE], block: [f32::INFINITY; WIDE] };
    let blocks = g.as_chunks::<WIDE>().0.iter().zip(fall.as_chunks::<WIDE>().0);
    let rows = k.as_chunks::<WIDE>().0.iter().zip(diagonal.as_chunks::<WIDE>().0);
    let mut number = 0.0;
    for ((g, fall), (k, d)) in blocks.zip(rows) {
        for l in 0..WIDE {
            best.tell(l, number, top - (fall[l] - g[l]), k[l].float(), own + d[l]);
        }
        number += 1.0;
    }
    for p in g.len() / WIDE * WIDE..g.len() {
        best.tell(p % WIDE, number, top - (fall[p] - g[p]), k[p].float(), own + diagonal[p]);
    }
    from + best.place().min(to - from - 1)
}
