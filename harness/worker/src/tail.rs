//! The last part of a stream.

/// Keeps the last bytes of a stream in bounded memory.
#[derive(Debug)]
pub(super) struct Tail {
    most: usize,
    bytes: Vec<u8>,
    dropped: u64,
}

impl Tail {
    /// Keeps up to `most` bytes.
    pub(super) fn new(most: usize) -> Tail {
        Tail {
            most,
            bytes: Vec::new(),
            dropped: 0,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Moving bytes to the front is amortised over many writes.
        if self.bytes.len() > self.most.saturating_mul(2) {
            self.trim();
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.dropped = 0;
    }

    /// The text, with a note if its beginning is missing.
    pub(super) fn text(&mut self) -> String {
        self.trim();
        let text = String::from_utf8_lossy(&self.bytes);
        match self.dropped {
            0 => text.into_owned(),
            dropped => format!("[{dropped} bytes before]{text}"),
        }
    }

    fn trim(&mut self) {
        let excess = self.bytes.len().saturating_sub(self.most);
        self.bytes.drain(..excess);
        self.dropped = self.dropped.saturating_add(excess as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = Tail::new(4);
        tail.push(b"ab");
        assert_eq!(tail.text(), "ab");
        for _ in 0..1000 {
            tail.push(b"cdefgh");
            assert!(tail.bytes.len() <= 8);
        }
        assert_eq!(tail.text(), "[5998 bytes before]efgh");
        tail.clear();
        assert_eq!(tail.text(), "");
    }
}
