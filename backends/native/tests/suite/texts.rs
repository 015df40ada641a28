//! A value of strings is limited by the bytes of its text: a few long strings must not become a value that
//! no memory holds, because a failed allocation ends the process.

use backend_api::{Backend, LoadRequest};
use backend_native::{Native, Settings};
use onnx_tensor::{Tensor, Value};

/// The bytes of each string of `x`; 40,000 of them are 40 GB.
const LENGTH: usize = 1_000_000;

/// The number of elements of the results.
const MANY: usize = 40_000;

/// Runs nodes on `x`, a string[2] of long strings, and operands with as many elements as the result has.
#[track_caller]
fn check(nodes: &str) {
    let text = format!(
        "model 10 \"\"=21\n\
         graph x:string[2] n:int64[1] at:int64[a] mask:bool[a,1] column:string[a,1] -> y:?\n{nodes}"
    );
    let request = LoadRequest {
        model: onnx_rejections::model(&text).encode().into(),
        ..LoadRequest::default()
    };
    let mut session = Native::new(Settings::default()).load(request).expect("it loads");
    let long = Tensor::vector(vec!["a".repeat(LENGTH), "b".repeat(LENGTH)]);
    let mask = Tensor::new(&[MANY, 1], vec![true; MANY]).expect("a tensor");
    let column = Tensor::new(&[MANY, 1], vec![String::new(); MANY]).expect("a tensor");
    let inputs = [
        ("x", long),
        ("n", Tensor::vector(vec![MANY as i64])),
        ("at", Tensor::vector(vec![1_i64; MANY])),
        ("mask", mask),
        ("column", column),
    ];
    let inputs = inputs.map(|(name, tensor)| (name.to_owned(), Value::from(tensor)));
    let error = session
        .run(&inputs)
        .expect_err("the result takes 40 GB")
        .to_string();
    assert!(
        error.contains("bytes of memory cannot be allocated"),
        "{nodes}: {error}"
    );
}

#[test]
fn a_result_of_long_strings_is_refused() {
    check("y = StringConcat(column, x)");
    check("y = Where(mask, x, x)");
    check("y = Tile(x, n)");
    check("y = Gather(x, at)");
    check("two = Constant() value_ints=[2]\nshape = Concat(n, two) axis=0\ny = Expand(x, shape)");
}
