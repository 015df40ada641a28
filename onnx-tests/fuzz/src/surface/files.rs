//! Models, values and archives as files.

use std::io::{Cursor, Write};

use harness_corpus::own::OwnCase;
use harness_corpus::{Corpus, Sha256, VerifiedFile};
use onnx_model::{Limits, Model, Source, decode_value, encode_value};
use onnx_tensor::{DType, ValueType};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Blob, Budget, run};

/// The maximum size of valid inputs in bytes: larger ones make mutations slow and findings rare.
const MAX_BYTES: usize = 4096;

fn own_cases() -> Result<Vec<OwnCase>, String> {
    harness_corpus::own::cases().map_err(|error| error.to_string())
}

/// A decoded file is encoded, and must decode to the same bytes again.
pub fn model(budget: Budget) -> Result<(), String> {
    let models = own_cases()?.into_iter().map(|case| case.model.encode());
    let sound = models.filter(|bytes| bytes.len() <= MAX_BYTES).collect();
    let decode = |bytes: &[u8]| Model::decode(bytes.to_vec(), &Source::named("fuzz"), &Limits::default());
    run(budget, Blob, sound, |bytes: &Vec<u8>| {
        let Ok(model) = decode(bytes) else {
            return Ok(());
        };
        // A model that passes the checker must be the same after encoding; the checker and the inference
        // of shapes accept any model.
        drop(onnx_checker::check(&model));
        drop(onnx_shapes::infer(&model));
        let encoded = model.encode();
        let again =
            decode(&encoded).map_err(|error| format!("its own encoding cannot be decoded: {error}"))?;
        if again.encode() == encoded {
            Ok(())
        } else {
            Err("encoding, decoding and encoding give other bytes".to_owned())
        }
    })
}

/// A value file is read as each kind of value; the result is written and read again.
pub fn value(budget: Budget) -> Result<(), String> {
    let cases = own_cases()?;
    let values = cases
        .iter()
        .flat_map(|case| case.inputs.iter().chain(&case.outputs));
    let sound = values
        .map(|(name, value)| encode_value(value, name))
        .filter(|bytes| bytes.len() <= MAX_BYTES)
        .collect();
    let float = ValueType::tensor(DType::Float);
    let types = [
        float.clone(),
        ValueType::Sparse {
            dtype: DType::Float,
            shape: None,
        },
        ValueType::Sequence(Box::new(float.clone())),
        ValueType::Map {
            key: DType::Int64,
            value: Box::new(float.clone()),
        },
        ValueType::Optional(Box::new(ValueType::Sequence(Box::new(float)))),
    ];
    let limits = Limits {
        total_elements: 1 << 24,
        tensor_elements: 1 << 24,
        ..Limits::default()
    };
    run(budget, Blob, sound, |bytes: &Vec<u8>| {
        for value_type in &types {
            let Ok(value) = decode_value(bytes, value_type, &limits) else {
                continue;
            };
            let encoded = encode_value(&value, "x");
            decode_value(&encoded, &value.value_type(), &limits).map_err(|error| {
                format!("read as {value_type}, its own encoding cannot be decoded: {error}")
            })?;
        }
        Ok(())
    })
}

/// Opens an archive and reads every case in it.
pub fn archive(budget: Budget) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("wheel.zip");
    let sound = vec![zip_of(&own_cases()?)?];
    run(budget, Blob, sound, |bytes: &Vec<u8>| {
        std::fs::write(&path, bytes).map_err(|error| error.to_string())?;
        let Ok(file) = VerifiedFile::open(&path, Sha256::of(bytes)) else {
            return Err("the hash of its own bytes is refused".to_owned());
        };
        let Ok(corpus) = Corpus::from_wheel("onnx-1.0.0", &file) else {
            return Ok(());
        };
        for case in corpus.cases() {
            drop(harness_conformance::case::Case::decode(case));
        }
        Ok(())
    })
}

/// Three cases in the layout of a wheel, stored and deflated.
fn zip_of(cases: &[OwnCase]) -> Result<Vec<u8>, String> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |path: String, bytes: &[u8], method| {
        let options = SimpleFileOptions::default().compression_method(method);
        archive
            .start_file(path, options)
            .map_err(|error| error.to_string())?;
        archive.write_all(bytes).map_err(|error| error.to_string())
    };
    let methods = [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated];
    for (number, case) in cases.iter().take(3).enumerate() {
        let folder = format!("onnx/backend/test/data/node/test_{number}");
        put(
            format!("{folder}/model.onnx"),
            &case.model.encode(),
            methods[number % 2],
        )?;
        for (prefix, values) in [("input", &case.inputs), ("output", &case.outputs)] {
            for (index, (name, value)) in values.iter().enumerate() {
                let path = format!("{folder}/test_data_set_0/{prefix}_{index}.pb");
                put(path, &encode_value(value, name), methods[number % 2])?;
            }
        }
    }
    let written = archive.finish().map_err(|error| error.to_string())?;
    Ok(written.into_inner())
}
