//! How many threads a call may use.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Fault, Result};

/// Room for deep recursion, as the main thread has it.
pub(crate) const STACK: usize = 16 << 20;

thread_local! {
    /// The pool that a thread belongs to, if it is one of [`with_threads`].
    static POOL: RefCell<Weak<ThreadPool>> = const { RefCell::new(Weak::new()) };
}

/// Does some work with so many threads, which end with it; without a number, with those that all calls of the process share.
///
/// The result does not depend on the number: the same input, policy and seed give the same bytes.
pub fn with_threads<T: Send>(threads: Option<NonZeroUsize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let Some(threads) = threads else { return work() };
    let started = Mutex::new(Vec::new());
    let builder = ThreadPoolBuilder::new().num_threads(threads.get()).spawn_handler(|thread| {
        let one = std::thread::Builder::new().stack_size(STACK).spawn(|| thread.run())?;
        started.lock().unwrap_or_else(PoisonError::into_inner).push(one);
        Ok(())
    });
    let pool = builder.build();
    let pool =
        pool.map_err(|e| Error::new(Fault::Machine, format!("can't start {threads} threads: {e}")).caused_by(e))?;
    let pool = Arc::new(pool);
    pool.broadcast(|_| POOL.with_borrow_mut(|own| *own = Arc::downgrade(&pool)));
    let done = pool.install(work);
    drop(pool);
    for thread in started.into_inner().unwrap_or_else(PoisonError::into_inner) {
        // What a thread panics with has reached whoever waited for its work.
        let _ = thread.join();
    }
    done
}

/// The pool that this thread belongs to; nothing where it is the one that all calls share.
pub(crate) fn current_pool() -> Option<Arc<ThreadPool>> {
    POOL.with_borrow(Weak::upgrade)
}

/// Does some work in a pool.
pub(crate) fn in_pool<T: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_has_the_threads_that_it_was_given() {
        for threads in [1, 3] {
            let found = with_threads(NonZeroUsize::new(threads), || Ok(rayon::current_num_threads()));
            assert_eq!(found.expect("a number of threads"), threads);
        }
        assert!(with_threads(NonZeroUsize::new(2), || Err::<(), _>(Error::data("no"))).is_err());
        assert_eq!(with_threads(None, || Ok(rayon::current_num_threads())).ok(), Some(rayon::current_num_threads()));
    }

    #[test]
    fn a_thread_of_its_own_can_work_in_the_same_pool() {
        let found = with_threads(NonZeroUsize::new(3), || {
            let pool = current_pool();
            let own = || in_pool(pool.as_deref(), rayon::current_num_threads);
            Ok(std::thread::scope(|scope| scope.spawn(own).join().unwrap_or(0)))
        });
        assert_eq!(found.ok(), Some(3));
        assert!(current_pool().is_none());
    }
}
