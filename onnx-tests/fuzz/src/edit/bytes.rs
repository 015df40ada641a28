//! Edits of the bytes of the file, after the messages were encoded.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::Subject;

/// A change of the bytes of a file.
#[derive(Clone, Copy, Debug)]
pub struct Flip {
    kind: Kind,
    /// The position, modulo the length of the file.
    at: usize,
    byte: u8,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Set,
    Insert,
    Remove,
    Cut,
}

impl Flip {
    /// Changes the bytes.
    pub fn apply(self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let at = self.at % bytes.len();
        match self.kind {
            Kind::Set => bytes[at] = self.byte,
            Kind::Insert => bytes.insert(at, self.byte),
            Kind::Remove => drop(bytes.remove(at)),
            Kind::Cut => bytes.truncate(at),
        }
    }
}

/// Changes one to four bytes of the file.
pub fn flip(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    for _ in 0..rng.random_range(1..=4) {
        let kind = match rng.random_range(0..16) {
            0 => Kind::Cut,
            1 | 2 => Kind::Insert,
            3 | 4 => Kind::Remove,
            _ => Kind::Set,
        };
        subject.flips.push(Flip {
            kind,
            at: rng.random::<u32>() as usize,
            byte: rng.random(),
        });
    }
    true
}
