//! Determines what many cases exercise.

use harness_corpus::{CaseFiles, CaseId};
use rayon::prelude::*;
use run_record::CaseExercises;

use crate::case::{CaseError, decode_model};
use crate::coverage::exercises;

/// What cases exercise, and the cases that cannot be read.
#[derive(Debug, Default)]
pub struct Survey {
    /// What each case exercises, in the order of the cases.
    pub cases: Vec<CaseExercises>,
    /// The cases whose model cannot be decoded, with the reason.
    pub unreadable: Vec<(CaseId, CaseError)>,
}

/// Reads the model of every case, on all processors.
pub fn survey(cases: &[CaseFiles]) -> Survey {
    let read: Vec<_> = cases
        .par_iter()
        .map(|files| {
            (
                files,
                decode_model(files).map(|decoded| exercises(&decoded.model)),
            )
        })
        .collect();
    let mut survey = Survey::default();
    for (files, outcome) in read {
        match outcome {
            Ok(exercises) => survey.cases.push(CaseExercises {
                case: files.id.to_string(),
                exercises,
            }),
            Err(error) => survey.unreadable.push((files.id.clone(), error)),
        }
    }
    survey
}
