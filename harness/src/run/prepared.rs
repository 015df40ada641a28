//! A case on its way through a run.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::bounds::bounds;
use crate::case::{Case, CaseError};
use crate::corpus::CaseFiles;
use crate::worker::{Death, Worker};

/// A case that is decoded when the first backend comes to it, and kept for the others.
pub(super) struct Prepared {
    /// Its files.
    pub files: CaseFiles,
    case: OnceLock<Result<Arc<Case>, Arc<CaseError>>>,
}

impl Prepared {
    pub fn new(files: CaseFiles) -> Prepared {
        Prepared {
            files,
            case: OnceLock::new(),
        }
    }

    /// The case, or why it cannot be read.
    pub fn case(&self) -> Result<Arc<Case>, Arc<CaseError>> {
        self.case
            .get_or_init(|| Case::decode(&self.files).map(Arc::new).map_err(Arc::new))
            .clone()
    }

    /// The case, if somebody has come to it.
    pub fn known(&self) -> Option<Result<Arc<Case>, Arc<CaseError>>> {
        self.case.get().cloned()
    }

    /// Decodes the case, with its bounds.
    pub fn bound(&self, worker: &mut Worker, timeout: Duration) -> Result<(), Death> {
        let case = match Case::decode(&self.files) {
            Ok(case) => {
                let envelopes = bounds(worker, &case, timeout)?;
                Ok(Arc::new(case.with_envelopes(envelopes)))
            }
            Err(error) => Err(Arc::new(error)),
        };
        // Nobody else has come to the case before.
        let _ = self.case.set(case);
        Ok(())
    }
}
