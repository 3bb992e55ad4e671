//! Running the core without the interpreter: own threads, panics caught.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

struct Pool {
    process: u32,
    threads: usize,
    pool: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

/// How many threads `n_jobs` asks for: all cores if it asks for none.
pub fn threads(n_jobs: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    n_jobs.unwrap_or_else(cores).max(1)
}

/// The pool of so many threads. A process that was forked makes its own: the parent's threads are not in it.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some(pool) = kept.as_ref().filter(|pool| pool.process == process && pool.threads == threads) {
        return Ok(pool.pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool =
        Arc::new(pool.map_err(|e| PyRuntimeError::new_err(format!("cannot start {threads} threads: {e}")))?);
    let old = kept.replace(Pool { process, threads, pool: pool.clone() });
    if let Some(old) = old.filter(|old| old.process != process) {
        std::mem::forget(old); // its threads died with the fork; there is nobody to join
    }
    Ok(pool)
}

/// Runs `f` on so many threads, detached from the interpreter; a panic becomes a RuntimeError.
pub fn run<R: Send>(py: Python<'_>, threads: usize, f: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = pool(threads)?;
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(|| pool.install(f))));
    outcome.map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
        PyRuntimeError::new_err(format!("the core stopped on an error of its own, please report it: {said}"))
    })
}
