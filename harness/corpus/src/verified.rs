//! Files whose digest is verified.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::Digest;

use super::CorpusError;

/// A SHA-256 digest; displayed and parsed as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest of all that `reader` gives.
    ///
    /// # Errors
    /// The reader's.
    pub fn of_reader(reader: &mut impl Read) -> io::Result<Self> {
        let mut hasher = sha2::Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(Self(hasher.finalize().into())),
                count => hasher.update(buffer.get(..count).unwrap_or_default()),
            }
        }
    }

    /// The digest.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// An incremental digest. Each part includes its length, so that different lists of parts have different
/// bytes.
#[derive(Default)]
pub(super) struct Hasher(sha2::Sha256);

impl Hasher {
    pub fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// A missing part, which differs from an empty one.
    pub fn absent(&mut self) {
        self.0.update(u64::MAX.to_le_bytes());
    }

    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha256 {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut digest = [0; 32];
        hex::decode_to_slice(text, &mut digest)
            .map_err(|error| format!("`{text}` is not a SHA-256: {error}"))?;
        Ok(Self(digest))
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Sha256 {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Bytes in memory, shared between threads without copying.
#[derive(Clone)]
pub struct SharedBytes(Arc<Vec<u8>>);

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A file that was read completely and has the pinned SHA-256.
///
/// It keeps the hashed bytes in memory, so that the file cannot be exchanged between the check and its use.
#[derive(Clone)]
pub struct VerifiedFile {
    path: PathBuf,
    bytes: SharedBytes,
}

impl VerifiedFile {
    /// Reads `path` and checks it against `expected`.
    ///
    /// # Errors
    /// [`CorpusError::Io`] if the file cannot be read, [`CorpusError::WrongHash`] if its digest differs.
    pub fn open(path: &Path, expected: Sha256) -> Result<Self, CorpusError> {
        let bytes = fs::read(path).map_err(CorpusError::io("read", path))?;
        let found = Sha256::of(&bytes);
        if found != expected {
            return Err(CorpusError::WrongHash {
                path: path.to_path_buf(),
                expected,
                found,
            });
        }
        Ok(Self {
            path: path.to_path_buf(),
            bytes: SharedBytes(Arc::new(bytes)),
        })
    }

    /// Moves the file to `place` (same file system), where it appears complete or not at all.
    pub fn move_to(mut self, place: &Path) -> Result<Self, CorpusError> {
        fs::rename(&self.path, place).map_err(CorpusError::write("move a download to", place))?;
        self.path = place.to_path_buf();
        Ok(self)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The verified bytes.
    pub fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};

    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn any_flipped_bit_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.whl");
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        let good: Vec<u8> = (0..4096).map(|_| rng.random()).collect();
        fs::write(&path, &good).unwrap();
        let expected = Sha256::of(&good);
        let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        let mut put = |position: usize, byte: u8| {
            file.seek(SeekFrom::Start(position as u64)).unwrap();
            file.write_all(&[byte]).unwrap();
        };
        for _ in 0..1000 {
            let position = rng.random_range(0..good.len());
            put(position, good[position] ^ (1 << rng.random_range(0..8)));
            let opened = VerifiedFile::open(&path, expected);
            assert!(
                matches!(opened, Err(CorpusError::WrongHash { .. })),
                "byte {position}"
            );
            put(position, good[position]);
        }
        assert_eq!(
            VerifiedFile::open(&path, expected).unwrap().bytes().as_ref(),
            good
        );
    }

    #[test]
    fn digests_are_parsed_as_displayed() {
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Sha256::of(b"abc").to_string(), abc);
        assert_eq!(abc.parse(), Ok(Sha256::of(b"abc")));
        assert!(abc[1..].parse::<Sha256>().is_err());
    }
}
