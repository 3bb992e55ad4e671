//! Sequential minimal optimisation: the dual of a kernel machine, two coefficients a step.
//!
//! ```text
//! min over β (m,)   D(β) = ½ βᵀKβ − tᵀβ     subject to   lo ≤ β ≤ hi,   Σ β over each group constant,
//! G = Kβ − t kept up to date
//! ```
//!
//! Fan, Chen & Lin, JMLR 6, 2005, Algorithm 2: the first coefficient is the one whose −G is largest among those that may
//! rise, the second, of the same group, promises the largest decrease of D. Shrinking as in Chang & Lin, LIBSVM, 2011,
//! §5.1: what lies at a bound and wants to go on is left out, and looked at again before the end. Kernel values are
//! floats; G is summed in doubles, and is computed anew from double kernels before a fit counts as converged.
//! Floor: two rows of the kernel a step, and 2m values read twice.

mod cache;
mod each;
mod extremes;
mod factor;
mod finish;
mod free;
mod gap;
mod pairs;
mod second;
mod whole;

pub use cache::{Cached, Room, Source};
pub use each::{Ends, OfGram, Task, solve_each};
pub use finish::Finished;
pub use gap::{Machine, Measure, measure};
pub use pairs::{Gram, State, Table, steps};
pub use whole::{Found, solve};
