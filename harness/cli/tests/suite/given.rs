//! Values that a person gives to `compare`: files, images, stored data; one clear line for wrong ones.

use std::fs;
use std::sync::Arc;

use crate::models::*;
use onnx_model::{Graph, encode_value};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

#[test]
fn wrong_input_is_one_clear_line() {
    let bench = Bench::new();
    fs::write(bench.at("torn.onnx"), "no model").expect("a file");
    fs::create_dir(bench.at("empty")).expect("a folder");
    fs::write(bench.at("text.json"), "[[1, 2, \"three\"]]").expect("a file");
    fs::write(bench.at("short.json"), "[[1, 2]]").expect("a file");
    fs::write(bench.at("x.npy"), npy("<f8", "(1, 3)", &[0; 24])).expect("a file");
    fs::write(bench.at("torn.npy"), "no array").expect("a file");
    fs::write(bench.at("text.npy"), npy("<U1", "(1, 3)", &[0; 12])).expect("a file");
    let fits = npy("<f4", "(1, 3)", &[0; 12]);
    fs::write(bench.at("fits.npy"), &fits).expect("a file");
    fs::create_dir(bench.at("many")).expect("a folder");
    for name in ["many/a.npy", "many/b.npy"] {
        fs::write(bench.at(name), &fits).expect("a file");
    }
    fs::write(bench.at("long.npy"), npy(&"<f4".repeat(3000), "(1, 3)", &[0; 12])).expect("a file");
    let fifo = std::process::Command::new("mkfifo")
        .arg(bench.at("pipe.npy"))
        .status();
    assert!(fifo.is_ok_and(|status| status.success()));
    write_external(&bench.at("external.onnx"));
    for (line, code, said) in [
        (
            "compare net.onnx --input x=pipe.npy",
            2,
            "pipe.npy: it is not a regular file",
        ),
        ("compare net.onnx --input x=long.npy", 2, "f4< …"),
        (
            "compare net.onnx --jobs 0",
            2,
            "give the number of workers, 1 or more",
        ),
        ("compare", 2, "required arguments"),
        ("compare nothing.onnx", 2, "cannot read `nothing.onnx`"),
        ("compare empty", 4, "no model in `empty`"),
        ("compare torn.onnx", 2, "cannot decode the model"),
        ("compare external.onnx", 2, "external data \"weights.bin\""),
        (
            "compare net.onnx --dim batches=2",
            2,
            "no symbolic dimension `batches`; the inputs have `batch`",
        ),
        (
            "compare net.onnx --dim batch",
            2,
            "`batch` is not of the form NAME=EXTENT",
        ),
        (
            "compare net.onnx --input z=x.npy",
            2,
            "no input `z`; the inputs are `x`",
        ),
        (
            "compare net.onnx --input x=nothing.npy",
            2,
            "nothing.npy: No such file",
        ),
        (
            "compare net.onnx --input x=torn.npy",
            2,
            "torn.npy: it is not in NumPy's format",
        ),
        (
            "compare net.onnx --input x=net.onnx",
            2,
            "not of the form NAME=FILE",
        ),
        ("compare net.onnx --input x.npy", 2, "not of the form NAME=FILE"),
        (
            "compare net.onnx --input x=text.json",
            2,
            "\"three\" is not of type float",
        ),
        (
            "compare net.onnx --input x=short.json",
            2,
            "expected tensor(float)[batch, 3], short.json holds tensor(float)[1, 2]",
        ),
        (
            "compare net.onnx --input x=x.npy",
            2,
            "expected tensor(float)[batch, 3], x.npy holds tensor(double)[1, 3]",
        ),
        (
            "compare net.onnx --input x=text.npy",
            2,
            "its elements are strings: give them as .json",
        ),
        (
            "compare net.onnx --input x=fits.npy --input x=fits.npy",
            2,
            "input `x` is given twice",
        ),
        (
            "compare net.onnx --input x=many --shapes 2",
            2,
            "a folder of samples: give one of them",
        ),
        ("locate empty --backend RIGHT", 4, "no model in `empty`"),
        ("locate net.onnx", 2, "--backend"),
        ("locate net.onnx --backend nobody", 6, "there is no executable"),
        ("reduce net.onnx --backend RIGHT", 4, "does not fail on the model"),
        ("keep empty", 2, "`empty` is not a folder that `reduce` wrote"),
        ("keep nothing", 2, "`nothing` is not a folder that `reduce` wrote"),
    ] {
        let ended = check(
            &bench,
            &line.replace("compare net.onnx", "compare net.onnx --backend RIGHT"),
            code,
            &[said],
        );
        ended.assert_one_error(line);
    }
}

#[test]
fn given_values_are_used() {
    let bench = Bench::new();
    fs::write(bench.at("x.json"), "[[1, 2, 3], [-1, 0.5, 4]]").expect("a file");
    let bytes: Vec<u8> = [1.0_f32, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(bench.at("x.npy"), npy("<f4", "(1, 3)", &bytes)).expect("a file");
    let value = Value::from(Tensor::new(&[3, 3], vec![0.5_f32; 9]).expect("a tensor"));
    fs::write(bench.at("x.pb"), encode_value(&value, "x")).expect("a file");
    let mut archive = zip::ZipWriter::new(fs::File::create(bench.at("all.npz")).expect("a file"));
    archive
        .start_file("x.npy", zip::write::SimpleFileOptions::default())
        .expect("an entry");
    std::io::Write::write_all(&mut archive, &npy("<f4", "(1, 3)", &bytes)).expect("an array");
    archive.finish().expect("an archive");
    check(
        &bench,
        "compare net.onnx --backend RIGHT --input all.npz",
        0,
        &["right, exact", "batch = 1 (an input)"],
    );
    for (file, batch) in [("x.json", 2), ("x.npy", 1), ("x.pb", 3), ("all.npz", 1)] {
        let line = format!("compare net.onnx --backend RIGHT --input x={file}");
        check(
            &bench,
            &line,
            0,
            &["right, exact", &format!("dimension batch = {batch} (an input)")],
        );
    }
}

/// A picture of 2×2 pixels in the layout of a model: channels first, in [0, 1].
#[test]
fn an_image_gets_the_layout_of_the_input() {
    let bench = Bench::new();
    let shape = [1, 3, 2, 2].map(Dim::Fixed);
    let mut picture = model();
    picture.graph = Arc::new(Graph {
        inputs: vec![info("x", &shape)],
        outputs: vec![info("y", &shape)],
        nodes: vec![node("only", "Relu", &["x"], "y")],
        ..Graph::default()
    });
    fs::write(bench.at("picture.onnx"), picture.encode()).expect("a model");
    // Rows from the bottom, each pixel blue, green, red, each row filled to four bytes.
    let header = [
        &b"BM"[..],
        &[
            70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0,
        ],
    ]
    .concat();
    let rows = [[0, 0, 255, 0, 255, 0, 0, 0], [255, 0, 0, 255, 255, 255, 0, 0]].concat();
    fs::write(bench.at("x.bmp"), [header.clone(), vec![0; 24], rows].concat()).expect("an image");
    fs::write(bench.at("torn.bmp"), &header[..20]).expect("a file");
    check(
        &bench,
        "compare picture.onnx --backend RIGHT --input x=torn.bmp",
        2,
        &["torn.bmp: it cannot be read as an image (PNG, JPEG, BMP, WebP, TIFF)"],
    );
    check(
        &bench,
        "compare picture.onnx --backend RIGHT --input x=x.bmp --out report",
        0,
        &["right, exact"],
    );
    let stored =
        fs::read(bench.at("report/cases/models/picture/test_data_set_0/input_0.pb")).expect("a value");
    let value = onnx_model::decode_value(
        &stored,
        &ValueType::tensor(DType::Float),
        &onnx_model::Limits::default(),
    );
    let expected = vec![0.0_f32, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0];
    let expected = Tensor::new(&[1, 3, 2, 2], expected).expect("a tensor");
    assert!(
        matches!(&value, Ok(Value::Tensor(found)) if found.same_bits(&expected)),
        "{value:?}"
    );
}

/// Damaged data is not overlooked: the drawn inputs say nothing about it.
#[test]
fn damaged_data_beside_a_model_is_no_success() {
    let bench = Bench::new();
    let set = bench.at("case/test_data_set_0");
    fs::create_dir_all(&set).expect("a folder");
    fs::copy(bench.at("net.onnx"), bench.at("case/model.onnx")).expect("a model");
    let value = Value::from(Tensor::new(&[1, 3], vec![1.0_f32, 2.0, 3.0]).expect("a tensor"));
    let whole = encode_value(&value, "x");
    fs::write(set.join("input_0.pb"), &whole).expect("a value");
    fs::write(set.join("output_0.pb"), &whole[..whole.len() - 3]).expect("a value");
    check(
        &bench,
        "compare case --backend RIGHT",
        4,
        &[
            "the data sets beside the model are not used",
            "output_0.pb",
            "right, exact",
        ],
    );
    fs::write(set.join("output_0.pb"), &whole).expect("a value");
    fs::write(set.join("output_2.pb"), &whole).expect("a value");
    check(
        &bench,
        "compare case --backend RIGHT",
        4,
        &["has no `output_1.pb`, but a later one"],
    );
}
