//! Running the core without the interpreter: own threads, panics caught.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::{Cell, OnceCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

struct Pool {
    process: u32,
    threads: usize,
    pool: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

thread_local! {
    /// How many threads work called from this thread starts where it is not told; None: all that are available.
    static LIMIT: Cell<Option<usize>> = const { Cell::new(None) };
    /// The pool that is this thread alone: several threads that ask for one each do not wait for each other.
    static ALONE: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
}

/// The least of the cores that affinity and cgroups leave this process, RAYON_NUM_THREADS and OMP_NUM_THREADS.
#[pyfunction]
pub fn available_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    ["RAYON_NUM_THREADS", "OMP_NUM_THREADS"].into_iter().filter_map(from_environment).fold(cores, usize::min)
}

/// The number that a variable holds, of a list of them, one a level of nesting, the first; 0 and nonsense say nothing.
fn from_environment(name: &str) -> Option<usize> {
    let value = std::env::var(name).ok()?;
    value.split(',').next()?.trim().parse().ok().filter(|&threads| threads > 0)
}

/// Sets how many threads this thread's work starts where it is not told; returns what held before.
#[pyfunction]
#[pyo3(signature = (threads))]
pub fn limit_threads(threads: Option<usize>) -> Option<usize> {
    LIMIT.replace(threads)
}

/// How many threads `n_jobs` asks for: if it asks for none, as many as this thread's limit says, or are available.
pub fn threads(n_jobs: Option<usize>) -> usize {
    n_jobs.or_else(|| LIMIT.get()).unwrap_or_else(available_threads).max(1)
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

/// The result of `f` on so many threads.
fn installed<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> PyResult<R> {
    if threads > 1 {
        return Ok(pool(threads)?.install(f));
    }
    ALONE.with(|alone| {
        let made = || ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
        match alone.get_or_init(made) {
            Some(alone) => Ok(alone.install(f)),
            None => Ok(pool(1)?.install(f)), // this thread belongs to somebody else's pool
        }
    })
}

/// Runs `f` on so many threads, detached from the interpreter; a panic becomes a RuntimeError.
pub fn run<R: Send>(py: Python<'_>, threads: usize, f: impl FnOnce() -> R + Send) -> PyResult<R> {
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(|| installed(threads, f))));
    let outcome = match outcome {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(refused)) => return Err(refused),
        Err(panic) => Err(panic),
    };
    outcome.map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
        PyRuntimeError::new_err(format!("the core stopped on an error of its own, please report it: {said}"))
    })
}
