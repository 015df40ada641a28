//! Replaces the archives of selected cases by smaller ones.
//!
//! Most cases of a release are byte-identical in the next one. After a selection from several releases, few
//! cases of each archive are left, and the memory of all others can be freed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::archive::Archive;
use super::folder::Place;
use super::{CaseFiles, CorpusError};

/// An archive, and its folders and files that are still needed.
type Needed = (Arc<Archive>, Vec<Arc<str>>);

/// Makes `cases` refer to archives that hold only the files of the cases. The old archives are freed with
/// their last reference.
///
/// # Errors
/// An entry of an archive is not found in its directory.
pub(super) fn compact(cases: &mut [CaseFiles]) -> Result<(), CorpusError> {
    let mut needed: BTreeMap<*const Archive, Needed> = BTreeMap::new();
    for place in cases.iter_mut().flat_map(places) {
        if let Place::Archive { archive, path } = place {
            let (_, paths) = needed
                .entry(Arc::as_ptr(archive))
                .or_insert_with(|| (Arc::clone(archive), Vec::new()));
            paths.push(Arc::clone(path));
        }
    }
    let mut smaller = BTreeMap::new();
    for (key, (archive, paths)) in needed {
        let paths = paths.iter().map(|path| &**path);
        smaller.insert(key, Arc::new(archive.only(paths)?));
    }
    for place in cases.iter_mut().flat_map(places) {
        if let Place::Archive { archive, .. } = place
            && let Some(found) = smaller.get(&Arc::as_ptr(archive))
        {
            *archive = Arc::clone(found);
        }
    }
    Ok(())
}

/// Every place to which a case refers.
fn places(case: &mut CaseFiles) -> impl Iterator<Item = &mut Place> {
    let sets = case.data_sets.iter_mut().flat_map(|set| {
        let inputs = set.inputs.iter_mut().flatten();
        inputs.chain(&mut set.outputs).map(|file| &mut file.0)
    });
    [&mut case.folder.0, &mut case.model.0].into_iter().chain(sets)
}
