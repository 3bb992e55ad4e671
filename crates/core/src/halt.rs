//! Ending long work that nobody waits for any longer, from within its loops.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// What unwinds the work; whoever began it catches this.
pub struct Halted;

/// What is wanted of some work.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub enum Wanted {
    /// All of it.
    All,
    /// What is best until now, soon.
    Best,
    /// Nothing any more.
    Nothing,
}

/// Milliseconds between two questions.
const PAUSE: u64 = 50;

/// What is wanted of some work, which is asked now and then.
pub struct Halt {
    ask: Box<dyn Fn() -> Wanted + Send + Sync>,
    begun: Instant,
    /// Milliseconds after the beginning when it is asked again.
    next: AtomicU64,
    answer: AtomicU8,
    heard: AtomicBool,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Halt>>> = const { RefCell::new(None) };
}

impl Halt {
    /// Of work that begins now.
    pub fn new(ask: impl Fn() -> Wanted + Send + Sync + 'static) -> Halt {
        Halt {
            ask: Box::new(ask),
            begun: Instant::now(),
            next: AtomicU64::new(PAUSE),
            answer: AtomicU8::new(Wanted::All as u8),
            heard: AtomicBool::new(false),
        }
    }

    fn wants(&self, at_least: Wanted) -> bool {
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let next = self.next.load(Relaxed);
        if now >= next
            && self.next.compare_exchange(next, now.saturating_add(PAUSE), Relaxed, Relaxed).is_ok()
        {
            self.answer.fetch_max((self.ask)() as u8, Relaxed);
        }
        self.answer.load(Relaxed) >= at_least as u8
    }

    /// Whether the work has ended early, with what was best.
    pub fn was_heard(&self) -> bool {
        self.heard.load(Relaxed)
    }
}

/// That of the work of this thread, for the threads among which it is shared.
pub fn current() -> Option<Arc<Halt>> {
    CURRENT.with_borrow(Clone::clone)
}

/// The result of `f`, whose loops may be ended by `halt`.
pub fn within<R>(halt: Option<Arc<Halt>>, f: impl FnOnce() -> R) -> R {
    let _restored = Restored(CURRENT.replace(halt));
    f()
}

struct Restored(Option<Arc<Halt>>);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Unwinds if the work is to end.
pub fn check(halt: &Option<Arc<Halt>>) {
    if halt.as_ref().is_some_and(|halt| halt.wants(Wanted::Nothing)) {
        resume_unwind(Box::new(Halted));
    }
}

/// Whether nobody waits for more than what is best until now: what is being made for later is given up.
pub fn is_given_up(halt: &Option<Arc<Halt>>) -> bool {
    halt.as_ref().is_some_and(|halt| halt.wants(Wanted::Best))
}

/// Whether the work of this thread is to end with what is best until now, which whoever asks does then.
pub fn is_best_wanted() -> bool {
    CURRENT.with_borrow(|halt| {
        let ends = halt.as_ref().filter(|halt| halt.wants(Wanted::Best));
        ends.inspect(|halt| halt.heard.store(true, Relaxed)).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::panic::catch_unwind;
    use std::time::Duration;

    #[test]
    fn loops_of_other_threads_end_and_the_next_work_is_not_touched() {
        let work = || {
            let halt = current();
            (0..1000).into_par_iter().for_each(|_| {
                check(&halt);
                std::thread::sleep(Duration::from_millis(2));
            });
        };
        let halted = catch_unwind(|| within(Some(Arc::new(Halt::new(|| Wanted::Nothing))), work));
        assert!(halted.is_err_and(|reason| reason.is::<Halted>()));
        assert!(current().is_none());
        check(&current());
    }
}
