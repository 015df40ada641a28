//! `test_data_set_N`: maps files to inputs and outputs.

use super::Halt;
use crate::case::{DataSetFiles, DefectKind};
use crate::{FileRef, Folder};

/// More than the inputs of any graph; limits the allocation for the number in a file name.
const MAX_VALUES: usize = 1 << 16;

/// The prefix of the folder name of a data set in the official layout.
pub const PREFIX: &str = "test_data_set";

/// The folder name of the first data set.
pub(crate) const FIRST: &str = "test_data_set_0";

/// All data sets of a folder, sorted by number.
pub(crate) fn read_all(folder: &Folder) -> Result<Vec<DataSetFiles>, Halt> {
    let mut names = folder.folders()?;
    names.retain(|name| name.starts_with(PREFIX));
    names.sort_by_key(|name| {
        let number = name
            .rsplit('_')
            .next()
            .and_then(|digits| digits.parse::<u64>().ok());
        (number.unwrap_or(u64::MAX), name.clone())
    });
    let sets: Vec<_> = names
        .into_iter()
        .map(|name| read(&name, &folder.folder(&name)))
        .collect::<Result<_, _>>()?;
    if sets.is_empty() {
        Err(DefectKind::NoDataSet.into())
    } else {
        Ok(sets)
    }
}

fn read(name: &str, folder: &Folder) -> Result<DataSetFiles, Halt> {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for file in folder.files()?.into_iter().filter(|file| file.ends_with(".pb")) {
        let (values, number) = match (number_of(&file, "input_"), number_of(&file, "output_")) {
            (Some(number), _) => (&mut inputs, number),
            (_, Some(number)) => (&mut outputs, number),
            _ => {
                return Err(DefectKind::UnknownFile {
                    data_set: name.to_owned(),
                    file,
                }
                .into());
            }
        };
        place(values, number, folder.file(&file));
    }
    Ok(with_outputs(name, inputs, outputs)?)
}

/// The data set of these values, if its outputs are complete: the official layout can omit inputs, but not
/// outputs.
pub(crate) fn with_outputs(
    name: &str,
    inputs: Vec<Option<FileRef>>,
    outputs: Vec<Option<FileRef>>,
) -> Result<DataSetFiles, DefectKind> {
    let data_set = || name.to_owned();
    if outputs.is_empty() {
        return Err(DefectKind::NoExpectedOutput { data_set: data_set() });
    }
    let gap = |number| DefectKind::OutputGap {
        data_set: data_set(),
        number,
    };
    let outputs = outputs
        .into_iter()
        .enumerate()
        .map(|(number, file)| file.ok_or_else(|| gap(number)));
    let outputs = outputs.collect::<Result<_, _>>()?;
    Ok(DataSetFiles {
        name: data_set(),
        inputs,
        outputs,
        generated_inputs: false,
        settled: false,
    })
}

/// The K of `<prefix>K.pb` in canonical form, so that two names cannot have the same number.
pub fn number_of(file: &str, prefix: &str) -> Option<usize> {
    let digits = file.strip_prefix(prefix)?.strip_suffix(".pb")?;
    let number: usize = digits.parse().ok()?;
    (number.to_string() == digits && number < MAX_VALUES).then_some(number)
}

/// Puts `file` at position `number`, and adds gaps before it if needed.
pub(crate) fn place(values: &mut Vec<Option<FileRef>>, number: usize, file: Option<FileRef>) {
    if values.len() <= number {
        values.resize(number + 1, None);
    }
    if let Some(value) = values.get_mut(number) {
        *value = file;
    }
}
