//! The contingency table of one column and the class, and the information in it.

use super::labels::Labels;

/// How many rows each class has, and what they weigh.
pub struct Classes {
    counts: Vec<u32>,
    weights: Vec<f64>,
    total: f64,
    /// H(y) = −Σ p(c) log p(c).
    entropy: f64,
}

impl Classes {
    /// Of all rows.
    pub fn new(labels: &Labels<'_>) -> Self {
        let counts = (0..labels.classes()).map(|c| labels.rows(c).len() as u32).collect();
        let weights = labels.totals();
        let total: f64 = weights.iter().sum();
        let shares = weights.iter().map(|w| w / total).filter(|&p| p > 0.0);
        let entropy = -shares.map(|p| p * p.ln()).sum::<f64>();
        Classes { counts, weights, total, entropy }
    }

    /// C.
    pub fn count(&self) -> usize {
        self.counts.len()
    }
}

/// A value, not zero, and a class that occur together.
pub struct Cell {
    /// The value.
    pub value: f64,
    /// The class.
    pub class: usize,
    /// In how many rows.
    pub rows: u32,
    /// What they weigh.
    pub weight: f64,
}

/// The table of a column, while it is being made.
pub struct Contingency<'a> {
    classes: &'a Classes,
    /// Rows of each class whose value is not zero, and their weight.
    seen: Vec<(u32, f64)>,
    /// The classes that have such rows.
    touched: Vec<usize>,
    cells: Vec<Cell>,
}

impl<'a> Contingency<'a> {
    /// An empty table.
    pub fn new(classes: &'a Classes) -> Self {
        let seen = vec![(0, 0.0); classes.count()];
        Contingency { classes, seen, touched: Vec::new(), cells: Vec::new() }
    }

    /// The information in the table of these cells, ascending by value and class, and of zeros in all other rows.
    pub fn information(&mut self, cells: impl Iterator<Item = Cell>) -> f64 {
        self.cells.clear();
        self.cells.extend(cells);
        for cell in &self.cells {
            let seen = &mut self.seen[cell.class];
            if seen.0 == 0 {
                self.touched.push(cell.class);
            }
            *seen = (seen.0 + cell.rows, seen.1 + cell.weight);
        }
        self.touched.sort_unstable();
        let zeros = self.cells.partition_point(|cell| cell.value < 0.0);
        let below = self.of_values(&self.cells[..zeros]);
        let sum = below + self.of_zero() + self.of_values(&self.cells[zeros..]);
        self.touched.drain(..).for_each(|class| self.seen[class] = (0, 0.0));
        // No rows at all have no information.
        if self.classes.total > 0.0 { sum.clamp(0.0, self.classes.entropy.max(0.0)) } else { 0.0 }
    }

    fn of_values(&self, cells: &[Cell]) -> f64 {
        let values = cells.chunk_by(|a, b| a.value == b.value);
        let terms = values.flat_map(|cells| {
            let value: f64 = cells.iter().map(|cell| cell.weight).sum();
            cells.iter().map(move |cell| self.term(cell.weight, value, self.classes.weights[cell.class]))
        });
        terms.sum()
    }

    /// Terms of the value zero. The classes without any other value have the same logarithm: they are one term.
    fn of_zero(&self) -> f64 {
        let classes = self.classes;
        let left = |&class: &usize| {
            let (rows, weight) = self.seen[class];
            // Weights that are fractions leave a rest of rounding where no row is left.
            if rows < classes.counts[class] { (classes.weights[class] - weight).max(0.0) } else { 0.0 }
        };
        let touched: f64 = self.touched.iter().map(|&class| classes.weights[class]).sum();
        let untouched =
            if self.touched.len() < classes.count() { (classes.total - touched).max(0.0) } else { 0.0 };
        let zeros = untouched + self.touched.iter().map(left).sum::<f64>();
        let terms = self.touched.iter().map(|class| self.term(left(class), zeros, classes.weights[*class]));
        self.term(untouched, zeros, untouched) + terms.sum::<f64>()
    }

    /// p(v, c) log [p(v, c) / (p(v) p(c))] from the weights of the pair, the value and the class.
    #[inline(always)]
    fn term(&self, pair: f64, value: f64, class: f64) -> f64 {
        if pair <= 0.0 {
            return 0.0;
        }
        let total = self.classes.total;
        pair / total * (pair * total / (value * class)).ln()
    }
}
