//! What a study of the steps of reading needs to know of the build that it runs on.

use deciban_core::{Step, left_out};
use pyo3::prelude::*;

/// The names of the steps that can be left out.
#[pyfunction]
pub fn ablation_steps() -> Vec<&'static str> {
    Step::ALL.iter().map(|step| step.name()).collect()
}

/// The name of the step that is left out.
#[pyfunction]
pub fn ablation_left_out() -> Option<&'static str> {
    left_out().map(Step::name)
}
