//! Linux and other Unix systems.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::{FdFlags, fcntl_setfd};

/// Duplicates stdin and stdout for the channel: requests, answers. Then 0 reads from the null device and 1
/// writes to stderr.
pub(crate) fn take_stdio() -> io::Result<(File, File)> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((input.into(), output.into()))
}

/// Takes ownership of an inherited descriptor, and prevents child processes from inheriting it.
pub(crate) fn inherited(variable: &str, text: &str) -> io::Result<File> {
    let wrong = |problem: &str| {
        let message = format!("{variable}={text} {problem}; unset both variables to use stdin and stdout");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let number: RawFd = text.parse().map_err(|_| wrong("is not a number"))?;
    if number < 3 {
        return Err(wrong("is one of stdin, stdout and stderr"));
    }
    // SAFETY: the harness opened this descriptor for this process alone, before it started, and nothing else
    // here takes it: this function is called once for each of the two variables. `fstat` below detects a
    // number that is not open before anything else uses it; such a number is released without being closed.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    match fstat(&descriptor).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::Fifo | FileType::Socket) => {
            fcntl_setfd(&descriptor, FdFlags::CLOEXEC)?;
            Ok(descriptor.into())
        }
        _ => {
            std::mem::forget(descriptor);
            Err(wrong("is not an open pipe or socket"))
        }
    }
}

/// Waits until the other side of the channel is closed; returns `false` if the system cannot detect it.
pub(crate) fn is_closed(input: &File) -> bool {
    loop {
        let mut descriptors = [PollFd::new(input, PollFlags::empty())];
        match poll(&mut descriptors, None) {
            Ok(_) if descriptors[0].revents().contains(PollFlags::HUP) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustix::pipe::pipe;

    use super::*;

    #[test]
    fn the_end_of_the_channel_is_detected_with_unread_bytes() {
        let (input, output) = pipe().expect("a pipe");
        rustix::io::write(&output, b"unread").expect("bytes");
        let input = File::from(input);
        let watcher = thread::spawn(move || is_closed(&input));
        assert!(!watcher.is_finished());
        drop(output);
        assert!(watcher.join().expect("no panic"));
    }
}
