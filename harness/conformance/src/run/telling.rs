//! Says what a long run waits for while no case ends.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often it is said.
pub(super) const EVERY: Duration = Duration::from_secs(10);

/// Does `work`, and meanwhile calls `say` every so often with what `waits` returns: how long something has
/// been waited for that takes at least as long.
pub(super) fn telling<T>(
    every: Duration,
    waits: impl Fn() -> Option<Duration> + Send,
    say: impl Fn(Duration) + Send,
    work: impl FnOnce() -> T,
) -> T {
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if let Some(time) = waits().filter(|time| *time >= every) {
                    say(time);
                }
            }
        });
        let result = work();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn what_takes_long_is_said_while_the_work_goes_on() {
        let every = Duration::from_millis(5);
        let (said, all) = mpsc::channel();
        let tell = |waits: Option<Duration>, work: &mut dyn FnMut()| {
            let said = said.clone();
            telling(
                every,
                move || waits,
                move |time| said.send(time).expect("a listener"),
                work,
            );
        };
        let long = Duration::from_secs(42);
        let mut heard = Vec::new();
        tell(Some(long), &mut || heard.extend(all.iter().take(2)));
        assert_eq!(heard, [long, long]);
        while all.try_recv().is_ok() {}
        for waits in [None, Some(Duration::from_millis(1))] {
            tell(waits, &mut || thread::sleep(20 * every));
        }
        assert!(all.try_recv().is_err(), "nothing takes long");
    }
}
