//! Running the core without the interpreter: own threads, panics caught.

use deciban_core::halt::{Halt, Halted, Wanted, within};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder, current_thread_index};
use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

struct Pool {
    process: u32,
    threads: usize,
    pool: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

thread_local! {
    /// How many threads work called from this thread starts where it is not told; None: all that are available.
    static LIMIT: Cell<Option<usize>> = const { Cell::new(None) };
    /// A Python callable that says whether long work of this thread is to end; None: whoever calls waits for it.
    static HALT: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
    /// The pool that is this thread alone: several threads that ask for one each do not wait for each other.
    static ALONE: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
}

/// The least of the cores that affinity and cgroups leave this process, RAYON_NUM_THREADS and OMP_NUM_THREADS.
#[pyfunction]
pub fn available_threads() -> usize {
    let cores = cores();
    ["RAYON_NUM_THREADS", "OMP_NUM_THREADS"].into_iter().filter_map(from_environment).fold(cores, usize::min)
}

/// The cores that affinity and cgroups leave this process. They stand in files, which are read once a second at most.
fn cores() -> usize {
    static KNOWN: Mutex<Option<(Instant, usize)>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    match *known {
        Some((since, cores)) if since.elapsed() < FRESH => cores,
        _ => known.insert((Instant::now(), std::thread::available_parallelism().map_or(1, usize::from))).1,
    }
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

/// Sets what says whether long work of this thread is to end; returns what held before.
#[pyfunction]
#[pyo3(signature = (is_due))]
pub fn halt_by(is_due: Option<Py<PyAny>>) -> Option<Py<PyAny>> {
    HALT.replace(is_due)
}

/// How long the number of cores is taken to stay as it is.
const FRESH: Duration = Duration::from_secs(1);
/// Seconds that the work may take after a signal; then it is given up.
const GRACE: Duration = Duration::from_millis(500);
/// Values that one thread works on alone.
const FEW: usize = 1 << 13;
/// Between two looks for signals.
const PAUSE: Duration = Duration::from_millis(50);

/// The signals that come while some work is done, to whose Python handlers only the main thread comes.
#[derive(Clone)]
struct Signals {
    caller: ThreadId,
    came: Arc<Mutex<Option<(PyErr, Instant)>>>,
}

impl Signals {
    fn new() -> Signals {
        Signals { caller: std::thread::current().id(), came: Arc::default() }
    }

    fn came(&self) -> MutexGuard<'_, Option<(PyErr, Instant)>> {
        self.came.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets handlers run, on the thread that called.
    fn look(&self) {
        if std::thread::current().id() == self.caller
            && self.came().is_none()
            && let Err(raised) = Python::attach(|py| py.check_signals())
        {
            *self.came() = Some((raised, Instant::now()));
        }
    }

    fn wanted(&self) -> Wanted {
        self.look();
        match &*self.came() {
            Some((_, since)) if since.elapsed() > GRACE => Wanted::Nothing,
            Some(_) => Wanted::Best,
            None => Wanted::All,
        }
    }
}

/// What is wanted of work that begins now, by the signals and by what `halt_by` was told.
fn halt(py: Python<'_>, signals: &Signals) -> Arc<Halt> {
    let is_due = HALT.with_borrow(|is_due| is_due.as_ref().map(|is_due| is_due.clone_ref(py)));
    let signals = signals.clone();
    Arc::new(Halt::new(move || {
        let says = |is_due: &Py<PyAny>| {
            Python::attach(|py| is_due.call0(py).and_then(|said| said.is_truthy(py)).unwrap_or(true))
        };
        if is_due.as_ref().is_some_and(says) { Wanted::Nothing } else { signals.wanted() }
    }))
}

/// How many threads `n_jobs` asks for: if it asks for none, as many as this thread's limit says, or are available.
pub fn threads(n_jobs: Option<usize>) -> usize {
    n_jobs.or_else(|| LIMIT.get()).unwrap_or_else(available_threads).max(1)
}

/// How many threads `n_jobs` asks for to work on so many values: few are done before another thread has begun.
pub fn threads_for(n_jobs: Option<usize>, values: usize) -> usize {
    if values <= FEW { 1 } else { threads(n_jobs) }
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

/// Work that is done once. Of a type of its own at every call, all of what follows would be compiled for each.
type Task<'a> = &'a mut (dyn FnMut() + Send);

type Outcome = Result<(), Box<dyn Any + Send>>;

/// Does the task on so many threads, or returns what it panics with; the caller looks for signals meanwhile.
fn installed(threads: usize, signals: &Signals, task: Task<'_>) -> PyResult<Outcome> {
    let task = || catch_unwind(AssertUnwindSafe(task));
    if threads > 1 {
        let pool = pool(threads)?;
        // Who waits on a thread of a pool does the work of others meanwhile, and a thread that is a pool alone has none.
        let alone = ALONE.with(|alone| matches!(alone.get(), Some(Some(_))));
        return Ok(if current_thread_index().is_some() && !alone {
            pool.install(task)
        } else {
            waited_for(&pool, signals, task)
        });
    }
    ALONE.with(|alone| {
        let made = || ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
        match alone.get_or_init(made) {
            Some(alone) => Ok(alone.install(task)),
            None => Ok(pool(1)?.install(task)), // this thread belongs to somebody else's pool
        }
    })
}

fn waited_for(pool: &ThreadPool, signals: &Signals, task: impl FnOnce() -> Outcome + Send) -> Outcome {
    let (done, told) = channel();
    pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            let _ = done.send(task()); // somebody waits
        });
        loop {
            match told.recv_timeout(PAUSE) {
                Ok(outcome) => return outcome,
                Err(_) => signals.look(),
            }
        }
    })
}

/// Runs `f` on so many threads, detached from the interpreter; a panic becomes a RuntimeError. What a signal's handler
/// raises ends it: solvers return what is best until then, and all else is given up.
pub fn run<R: Send>(py: Python<'_>, threads: usize, f: impl FnOnce() -> R + Send) -> PyResult<R> {
    let (mut f, mut result) = (Some(f), None);
    complete(py, threads, &mut || result = f.take().map(|f| f()))?;
    result.ok_or_else(|| PyRuntimeError::new_err("the core did no work, please report it"))
}

/// Does the task whole, or returns the error that ended it.
fn complete(py: Python<'_>, threads: usize, task: Task<'_>) -> PyResult<()> {
    let signals = Signals::new();
    let halt = halt(py, &signals);
    let outcome =
        py.detach(|| installed(threads, &signals, &mut || within(Some(halt.clone()), &mut *task)))?;
    let came = signals.came().take().map(|(raised, _)| raised);
    match (outcome, came) {
        (Ok(()), Some(raised)) if !halt.was_heard() => Err(raised),
        (Ok(()), _) => Ok(()),
        (Err(panic), came) if panic.is::<Halted>() => {
            Err(came.unwrap_or_else(|| PyKeyboardInterrupt::new_err(())))
        }
        (Err(panic), _) => {
            let said = panic.downcast_ref::<String>().cloned();
            let said =
                said.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
            let text = format!("the core stopped on an error of its own, please report it: {said}");
            Err(PyRuntimeError::new_err(text))
        }
    }
}
