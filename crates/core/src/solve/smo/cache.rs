//! Rows of the kernel, kept while there is room.

use super::Gram;
use crate::kernel::Real;

/// Where rows of the kernel come from.
pub trait Source<R> {
    /// K(x, x) of each row.
    fn diagonal(&mut self) -> Option<Vec<R>>;

    /// K(x_row, x_j) for the rows j last restricted to, into `out`; false where it cannot be had.
    fn fill(&mut self, row: u32, out: &mut [R]) -> bool;

    /// From now on only these rows are asked for, in this order.
    fn restrict(&mut self, rows: &[u32]);

    /// (N,) Σ_j K(x_i, x_j) c_j in double precision, of all rows.
    fn scores(&mut self, coefficients: &[f64]) -> Option<Vec<f64>>;
}

const NONE: u32 = u32::MAX;
/// How often rows may be asked for, on average, where they are counted.
const OFTEN: u64 = 16;

/// What rows of the kernel may cost.
#[derive(Clone, Copy)]
pub struct Room {
    /// Bytes of those that are kept.
    pub bytes: usize,
    /// After so many, or so many times that they were asked for, the solver ends, whatever was kept.
    pub rows: usize,
}

impl Room {
    /// Bytes, and any number of rows.
    pub fn of(bytes: usize) -> Room {
        Room { bytes, rows: usize::MAX }
    }
}

/// The rows asked for last, as many as fit into some bytes, at least two.
pub struct Cached<'a, R> {
    /// Where they come from.
    pub source: &'a mut dyn Source<R>,
    room: Room,
    /// Which rows were ever asked for, and how many these are.
    met: Vec<bool>,
    made: usize,
    capacity: usize,
    /// The row of each variable that is active, among the rows that are; empty where they are the same.
    own: Vec<u32>,
    /// The rows that are active.
    rows: Vec<u32>,
    variables: usize,
    kept: Vec<Vec<R>>,
    owner: Vec<u32>,
    used: Vec<u64>,
    place: Vec<u32>,
    clock: u64,
    whole: Vec<R>,
}

impl<'a, R: Real> Cached<'a, R> {
    /// Nothing yet.
    pub fn new(source: &'a mut dyn Source<R>, room: Room) -> Cached<'a, R> {
        Cached {
            source,
            room,
            met: Vec::new(),
            made: 0,
            capacity: 2,
            own: Vec::new(),
            rows: Vec::new(),
            variables: 0,
            kept: Vec::new(),
            owner: Vec::new(),
            used: Vec::new(),
            place: Vec::new(),
            clock: 0,
            whole: Vec::new(),
        }
    }

    /// Whether there is a last row.
    pub fn is_limited(&self) -> bool {
        self.room.rows < usize::MAX
    }

    /// Whether as many rows were asked for as may be.
    pub fn is_spent(&self) -> bool {
        self.is_limited()
            && (self.made >= self.room.rows || self.clock >= OFTEN * (self.room.rows as u64 + OFTEN))
    }

    /// Counts a row that is asked for.
    fn meet(&mut self, number: usize) {
        if self.met.len() <= number {
            self.met.resize(number + 1, false);
        }
        self.made += usize::from(!std::mem::replace(&mut self.met[number], true));
    }

    /// Begins anew with variables of these rows.
    pub fn reset(&mut self, row_of: &[u32]) {
        self.kept.clear();
        self.owner.clear();
        self.used.clear();
        self.activate(row_of);
    }

    /// Goes on with the variables at these places only, now of these rows.
    pub fn restrict(&mut self, kept: &[u32], row_of: &[u32]) {
        let before = std::mem::take(&mut self.rows);
        for row in &mut self.kept {
            for (to, &from) in kept.iter().enumerate() {
                row[to] = row[from as usize]; // places rise: what is read was not yet written
            }
            row.truncate(kept.len());
        }
        self.owner.iter_mut().for_each(|owner| *owner = before[*owner as usize]);
        self.activate(row_of);
        let mut now = vec![NONE; before.iter().copied().max().map_or(0, |last| last as usize + 1)];
        self.rows.iter().enumerate().for_each(|(k, &row)| now[row as usize] = k as u32);
        for slot in (0..self.owner.len()).rev() {
            match now[self.owner[slot] as usize] {
                NONE => {
                    self.owner.swap_remove(slot);
                    self.kept.swap_remove(slot);
                    self.used.swap_remove(slot);
                }
                row => self.owner[slot] = row,
            }
        }
        self.owner.iter().enumerate().for_each(|(slot, &row)| self.place[row as usize] = slot as u32);
    }

    fn activate(&mut self, row_of: &[u32]) {
        let last = row_of.iter().copied().max().map_or(0, |last| last as usize + 1);
        let mut number = vec![NONE; last];
        self.rows.clear();
        self.own.clear();
        for &row in row_of {
            if number[row as usize] == NONE {
                number[row as usize] = self.rows.len() as u32;
                self.rows.push(row);
            }
            self.own.push(number[row as usize]);
        }
        self.variables = row_of.len();
        if self.rows.len() == row_of.len() {
            self.own.clear();
        }
        self.place = vec![NONE; self.rows.len()];
        self.capacity = (self.room.bytes / (size_of::<R>() * self.variables.max(1))).max(2);
        self.whole.resize(self.rows.len(), R::default());
        self.source.restrict(&self.rows);
    }

    /// A place for one more row: a new one, or that of the row not asked for the longest.
    fn free(&mut self) -> usize {
        if self.kept.len() < self.capacity {
            self.kept.push(vec![R::default(); self.variables]);
            self.owner.push(NONE);
            self.used.push(0);
            return self.kept.len() - 1;
        }
        let slot = (0..self.used.len()).min_by_key(|&slot| self.used[slot]).unwrap_or(0);
        if let Some(place) = self.place.get_mut(self.owner[slot] as usize) {
            *place = NONE;
        }
        self.owner[slot] = NONE;
        slot
    }
}

impl<R: Real> Gram for Cached<'_, R> {
    type Value = R;

    fn fetch(&mut self, i: usize) -> Option<usize> {
        let row = if self.own.is_empty() { i } else { self.own[i] as usize };
        self.clock += 1;
        if self.place[row] != NONE {
            let slot = self.place[row] as usize;
            self.used[slot] = self.clock;
            return Some(slot);
        }
        let slot = self.free();
        let number = self.rows[row];
        if self.is_limited() {
            self.meet(number as usize);
        }
        if self.own.is_empty() {
            if !self.source.fill(number, &mut self.kept[slot]) {
                return None;
            }
        } else {
            if !self.source.fill(number, &mut self.whole) {
                return None;
            }
            let whole = &self.whole;
            self.kept[slot].iter_mut().zip(&self.own).for_each(|(k, &row)| *k = whole[row as usize]);
        }
        (self.place[row], self.owner[slot], self.used[slot]) = (slot as u32, row as u32, self.clock);
        Some(slot)
    }

    #[inline(always)]
    fn row(&self, place: usize) -> &[R] {
        &self.kept[place]
    }
}
