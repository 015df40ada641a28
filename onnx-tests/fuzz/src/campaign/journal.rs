//! The file in which a worker records its progress, so that its parent can read it after the worker
//! ended.
//!
//! Ten bytes for the current step (the mutant's position in its range, the stage, whether it is
//! running), then a byte for the result of each stage of each mutant. All are written in place, so that
//! the file is readable if the worker ends at any moment.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::stage::{Outcome, Stage};

const HEAD: u64 = 10;
const STAGES: u64 = Stage::ALL.len() as u64;

/// The journal of one worker.
#[derive(Debug)]
pub struct Journal(File);

/// The current step of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InFlight {
    /// The mutant's position in the worker's range.
    pub position: u64,
    pub stage: Stage,
    /// Whether it is still running.
    pub running: bool,
}

impl Journal {
    /// An empty journal.
    pub fn create(path: &Path) -> io::Result<Journal> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        Ok(Journal(file))
    }

    /// The side of a worker.
    pub fn open(path: &Path) -> io::Result<Journal> {
        Ok(Journal(File::options().read(true).write(true).open(path)?))
    }

    /// Records the start of a stage.
    pub fn begin(&self, position: u64, stage: Stage) -> io::Result<()> {
        self.head(position, stage, true)
    }

    /// Records the end of a stage.
    pub fn end(&self, position: u64, stage: Stage, outcome: Outcome) -> io::Result<()> {
        let at = HEAD + position * STAGES + stage as u64;
        self.0.write_all_at(&[outcome as u8], at)?;
        self.head(position, stage, false)
    }

    fn head(&self, position: u64, stage: Stage, running: bool) -> io::Result<()> {
        let mut head = [0; HEAD as usize];
        head[..8].copy_from_slice(&position.to_le_bytes());
        head[8] = stage as u8;
        head[9] = u8::from(running);
        self.0.write_all_at(&head, 0)
    }

    /// The current step; `None` before the first stage started.
    pub fn in_flight(&self) -> io::Result<Option<InFlight>> {
        let mut head = [0; HEAD as usize];
        if self.0.read_at(&mut head, 0)? < head.len() {
            return Ok(None);
        }
        let [position @ .., stage, running] = head;
        let stage = Stage::ALL.get(usize::from(stage)).copied();
        Ok(stage.map(|stage| InFlight {
            position: u64::from_le_bytes(position),
            stage,
            running: running != 0,
        }))
    }

    /// The results of the stages of the first `count` mutants.
    pub fn outcomes(&self, count: u64) -> io::Result<Vec<[Outcome; Stage::ALL.len()]>> {
        let mut bytes = vec![0; usize::try_from(count * STAGES).unwrap_or(0)];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.0.read_at(&mut bytes[filled..], HEAD + filled as u64)? {
                0 => break,
                read => filled += read,
            }
        }
        let outcome = |byte: u8| {
            Outcome::ALL
                .get(usize::from(byte))
                .copied()
                .unwrap_or(Outcome::NotRun)
        };
        let rows = bytes.chunks_exact(Stage::ALL.len());
        Ok(rows
            .map(|row| std::array::from_fn(|stage| outcome(row[stage])))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_step_can_be_read_after_an_exit() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        let parent = Journal::create(&path)?;
        assert_eq!(parent.in_flight()?, None);
        let worker = Journal::open(&path)?;
        worker.begin(0, Stage::Decode)?;
        worker.end(0, Stage::Decode, Outcome::Refused)?;
        worker.begin(3, Stage::Native)?;
        drop(worker);
        let in_flight = InFlight {
            position: 3,
            stage: Stage::Native,
            running: true,
        };
        assert_eq!(parent.in_flight()?, Some(in_flight));
        let outcomes = parent.outcomes(4)?;
        assert_eq!(outcomes[0][0], Outcome::Refused);
        assert_eq!(outcomes[3], [Outcome::NotRun; 4]);
        Ok(())
    }
}
