//! Identifies equal cases: a digest over every byte of a case, and the distinct cases of several releases.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;

use rayon::prelude::*;
use regex::bytes::Regex;
use run_record::Release;
use serde::{Deserialize, Serialize};

use super::case::{CaseDefect, CaseFiles};
use super::layout::data_set;
use super::verified::Hasher;
use super::{Corpus, CorpusError, Folder, Sha256, layout};

/// The version of the digest's input; increased with every change, so that stored digests are not reused.
const FORMAT: u32 = 1;

impl Corpus {
    /// Computes the digest of every case, or takes them from the folder `kept`, where they are stored under
    /// the digest of the corpus's `file`.
    ///
    /// # Errors
    /// A case cannot be read. A folder that cannot be written is not an error: it only costs time.
    pub fn digest_cases(&mut self, file: Sha256, kept: &Path) -> Result<(), CorpusError> {
        let kept = kept.join(format!("{file}.json"));
        let digests = match Kept::read(&kept, self.cases.len()) {
            Some(digests) => digests,
            None => {
                let digests = self.cases.par_iter().map(digest).collect::<Result<Vec<_>, _>>()?;
                let _ = Kept::write(&kept, &digests);
                digests
            }
        };
        for (case, digest) in self.cases.iter_mut().zip(digests) {
            case.digest = Some(digest);
        }
        Ok(())
    }
}

/// A digest of `cases` with their ids. For a case without a digest it includes the model, the data sets and
/// the external data files of the model; a file that cannot be read contributes its error.
pub fn digest_of_all(cases: &[CaseFiles]) -> Sha256 {
    let lines: Vec<String> = cases
        .par_iter()
        .map(|case| match case.digest.map_or_else(|| named_files(case), Ok) {
            Ok(digest) => format!("{} {digest}\n", case.id),
            Err(error) => format!("{} {error}\n", case.id),
        })
        .collect();
    Sha256::of(lines.concat().as_bytes())
}

/// The files of a case, without other files in its folder, which may be arbitrary.
fn named_files(case: &CaseFiles) -> Result<Sha256, CorpusError> {
    let mut hasher = Hasher::default();
    let model = case.model.read()?;
    data(case, &model, &mut hasher)?;
    for location in external_locations(&model) {
        hasher.part(location.as_bytes());
        match case.sibling(&location).ok().flatten() {
            Some(file) => hasher.part(&file.read()?),
            None => hasher.absent(),
        }
    }
    Ok(hasher.finish())
}

/// The file names of external data in a model. They are found by the protobuf encoding of the entry with
/// the key `location` (TensorProto.external_data), without decoding the model; raw data with the same bytes
/// adds a superfluous name.
pub(crate) fn external_locations(model: &[u8]) -> BTreeSet<String> {
    static ENTRY: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)\x0a\x08location\x12").expect("the expression is valid"));
    let mut locations = BTreeSet::new();
    for entry in ENTRY.find_iter(model) {
        // A name of 128 bytes or more has a length of two bytes.
        let text = match model.get(entry.end()..).unwrap_or_default() {
            [low, high, text @ ..] if *low >= 0x80 => {
                text.get(..usize::from(low & 0x7f) | usize::from(*high) << 7)
            }
            [length, text @ ..] => text.get(..usize::from(*length)),
            [] => None,
        };
        locations.extend(text.and_then(|text| String::from_utf8(text.to_vec()).ok()));
    }
    locations
}

/// Every byte that may reach a backend or a verdict, each part with its length or with a fixed width.
fn digest(case: &CaseFiles) -> Result<Sha256, CorpusError> {
    let mut hasher = Hasher::default();
    data(case, &case.model.read()?, &mut hasher)?;
    // Other files in the folder may be external data of the model.
    let folder = case.folder();
    for name in folder.folders()? {
        if !name.starts_with(data_set::PREFIX) {
            other_files(&mut hasher, &name, &folder.folder(&name))?;
        }
    }
    files_of(&mut hasher, "", folder, &[layout::MODEL, layout::DESCRIPTION])?;
    Ok(hasher.finish())
}

/// The model, the tolerance and the data sets.
fn data(case: &CaseFiles, model: &[u8], hasher: &mut Hasher) -> Result<(), CorpusError> {
    hasher.part(model);
    hasher.part(&case.tolerance.rtol.to_le_bytes());
    hasher.part(&case.tolerance.atol.to_le_bytes());
    for set in &case.data_sets {
        hasher.part(set.name.as_bytes());
        hasher.part(&[u8::from(set.generated_inputs)]);
        for input in &set.inputs {
            match input {
                Some(file) => hasher.part(&file.read()?),
                None => hasher.absent(),
            }
        }
        hasher.part(b"outputs");
        for output in &set.outputs {
            hasher.part(&output.read()?);
        }
    }
    Ok(())
}

fn other_files(hasher: &mut Hasher, path: &str, folder: &Folder) -> Result<(), CorpusError> {
    files_of(hasher, path, folder, &[])?;
    for name in folder.folders()? {
        other_files(hasher, &format!("{path}/{name}"), &folder.folder(&name))?;
    }
    Ok(())
}

fn files_of(hasher: &mut Hasher, path: &str, folder: &Folder, except: &[&str]) -> Result<(), CorpusError> {
    for name in folder.files()? {
        if let Some(file) = folder.file(&name).filter(|_| !except.contains(&&*name)) {
            hasher.part(format!("{path}/{name}").as_bytes());
            hasher.part(&file.read()?);
        }
    }
    Ok(())
}

/// The digests of a corpus in the cache, in the order of its cases.
#[derive(Serialize, Deserialize)]
struct Kept {
    format: u32,
    digests: Vec<Sha256>,
    /// A digest of the digests, to detect a damaged file.
    sha256: Sha256,
}

impl Kept {
    /// The stored digests of `cases` cases; `None` if they are missing or damaged.
    fn read(place: &Path, cases: usize) -> Option<Vec<Sha256>> {
        let kept: Self = serde_json::from_slice(&fs::read(place).ok()?).ok()?;
        let sound =
            kept.format == FORMAT && kept.digests.len() == cases && kept.sha256 == check(&kept.digests);
        sound.then_some(kept.digests)
    }

    fn write(place: &Path, digests: &[Sha256]) -> Option<()> {
        let folder = place.parent()?;
        fs::create_dir_all(folder).ok()?;
        let kept = Self {
            format: FORMAT,
            digests: digests.to_vec(),
            sha256: check(digests),
        };
        let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
        file.write_all(&serde_json::to_vec(&kept).ok()?).ok()?;
        file.persist(place).ok().map(drop)
    }
}

fn check(digests: &[Sha256]) -> Sha256 {
    let mut hasher = Hasher::default();
    for digest in digests {
        hasher.part(digest.bytes());
    }
    hasher.finish()
}

/// The cases without duplicates (equal bytes and equal name), under the newest release that contains them.
/// A case without a digest is never a duplicate.
pub(super) fn distinct(cases: Vec<CaseFiles>) -> Vec<CaseFiles> {
    type Key = (String, String, Sha256);
    let mut merged: Vec<CaseFiles> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for case in newest_first(cases, |case| case.id.corpus()) {
        let key = case
            .digest
            .map(|digest| (case.id.suite().to_owned(), case.id.name().to_owned(), digest));
        match key.as_ref().and_then(|key| merged.get_mut(*places.get(key)?)) {
            Some(newest) => newest.also_in.insert(0, case.id.corpus().to_owned()),
            None => {
                places.extend(key.map(|key| (key, merged.len())));
                merged.push(case);
            }
        }
    }
    merged
}

/// Like [`distinct`], for defects: the same defect of a case of the same name.
pub(super) fn distinct_defects(defects: Vec<CaseDefect>) -> Vec<CaseDefect> {
    let mut merged: Vec<CaseDefect> = Vec::new();
    for defect in newest_first(defects, |defect| defect.id.corpus()) {
        let same = |other: &&mut CaseDefect| {
            other.id.suite() == defect.id.suite()
                && other.id.name() == defect.id.name()
                && other.kind == defect.kind
        };
        match merged.iter_mut().find(same) {
            Some(newest) => newest.also_in.insert(0, defect.id.corpus().to_owned()),
            None => merged.push(defect),
        }
    }
    merged
}

/// Sorted by release, newest first; stable.
fn newest_first<T>(mut items: Vec<T>, corpus: impl Fn(&T) -> &str) -> Vec<T> {
    items.sort_by_key(|item| std::cmp::Reverse(Release::of_corpus(corpus(item))));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn external_data_is_found_by_its_entry() {
        let long = "w".repeat(200);
        let mut model = b"\x08\x07raw\x0a\x08location\x12".to_vec();
        model.extend(b"\x05w.bin\x0a\x08location\x12\xc8\x01");
        model.extend(long.as_bytes());
        model.extend(b"\x0a\x08location\x12\x05w.bin\x0a\x08location\x12\x7fcut off");
        let found: Vec<String> = external_locations(&model).into_iter().collect();
        assert_eq!(found, ["w.bin", &long]);
    }
}
