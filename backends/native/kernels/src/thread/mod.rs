//! The thread pool: static partitioning, results independent of the number of threads.
//!
//! A kernel calls [`Pool::split`] to divide its independent pieces of work into as many contiguous ranges as
//! there are threads; the caller's thread takes the first. There is no queue and no work stealing: the work
//! of a thread depends only on its number, and no sum is divided in a way that depends on the number of
//! threads. A call from inside of a task, or from a second thread at the same time, runs on the calling
//! thread alone, so the number of running threads never exceeds the requested one.

mod pool;
mod worker;

pub(crate) use pool::share;
pub use pool::{Pool, PoolOptions};
