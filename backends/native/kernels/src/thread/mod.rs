//! The one pool of threads: static partitioning, results independent of the number of threads.
//!
//! A kernel asks [`Pool::split`] to divide its independent pieces of work into as many contiguous ranges as there are
//! threads; the caller's thread takes the first. There is no queue and no stealing: what a thread does depends only
//! on its number, and no sum is ever split between threads in a way that depends on how many there are. A call
//! from inside a task, or from a second thread at the same time, runs on the calling thread alone, so that a
//! processor never holds more running threads than were asked for.

mod pool;
mod worker;

pub(crate) use pool::share;
pub use pool::{Pool, PoolOptions};
