//! Extrapolation of iterates: Bertrand & Massias, "Anderson acceleration of coordinate descent", AISTATS 2021.

use super::gram::Iterate;

/// The combination of the iterates, weights summing to 1, whose step is shortest.
pub fn extrapolated(memory: &[Iterate]) -> Option<Iterate> {
    let n = memory.len() - 1;
    let moves: Vec<Vec<f64>> = memory
        .windows(2)
        .map(|pair| pair[1].step.iter().zip(&pair[0].step).map(|(b, a)| b - a).collect())
        .collect();
    let mut system: Vec<Vec<f64>> = moves
        .iter()
        .map(|a| moves.iter().map(|b| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect())
        .collect();
    let trace: f64 = (0..n).map(|k| system[k][k]).sum();
    (0..n).for_each(|k| system[k][k] += 1e-12 * trace);
    let weights = solved(system, vec![1.0; n])?;
    let total: f64 = weights.iter().sum();
    if !total.is_finite() || total == 0.0 {
        return None;
    }
    let combined = |of: &dyn Fn(&Iterate) -> &Vec<f64>| {
        let mut sum = vec![0.0; of(&memory[0]).len()];
        for (iterate, c) in memory[1..].iter().zip(&weights) {
            sum.iter_mut().zip(of(iterate)).for_each(|(s, x)| *s += c / total * x);
        }
        sum
    };
    Some(Iterate { step: combined(&|it| &it.step), slope: combined(&|it| &it.slope) })
}

/// The solution of a small positive definite system, by elimination.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        if a[k][k].is_nan() || a[k][k] <= 0.0 {
            return None;
        }
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            let (above, below) = a.split_at_mut(i);
            below[0][k..].iter_mut().zip(&above[k][k..]).for_each(|(x, y)| *x -= f * y);
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    Some(b)
}
