//! Compares backends with the reference on generated cases, in one process, and prints a line of
//! JSON for each disagreement.
//!
//! `cargo run -p onnx-tests --example differ -- SUITE [--seed N] [--most N] [--from N] [--dump CASE FOLDER] [--ort]`
//!
//! A suite is an operator version, as `Relu-14`, or `list` for the names of all. A line is printed
//! to stderr before each case, so that a script can identify the case that ends the process.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use backend_api::{Backend, BackendError, Bounded, LoadRequest, Named, Options, Reach};
use onnx_generator::{Case, Phase, plan, short};
use onnx_model::encode_value;
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};

type Failure = Box<dyn std::error::Error>;

struct Settings {
    suite: String,
    seed: u64,
    most: usize,
    from: usize,
    dump: Option<(String, String)>,
    ort: bool,
}

fn settings() -> Result<Settings, Failure> {
    let mut arguments = std::env::args().skip(1);
    let suite = arguments.next().ok_or("name a suite")?;
    let mut settings = Settings {
        suite,
        seed: 0,
        most: 100,
        from: 0,
        dump: None,
        ort: false,
    };
    while let Some(option) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{option} needs a value"));
        match option.as_str() {
            "--seed" => settings.seed = value()?.parse()?,
            "--most" => settings.most = value()?.parse()?,
            "--from" => settings.from = value()?.parse()?,
            "--dump" => settings.dump = Some((value()?, value()?)),
            "--ort" => settings.ort = true,
            other => return Err(format!("unknown option {other}").into()),
        }
    }
    Ok(settings)
}

#[allow(clippy::print_stdout, reason = "the result of the program")]
fn main() -> Result<(), Failure> {
    let settings = settings()?;
    match settings.suite.as_str() {
        "list" => {
            for schema in onnx_schema::all().chain(onnx_schema::contrib()) {
                println!("{schema}");
            }
            Ok(())
        }
        _ => run(&settings),
    }
}

fn run(settings: &Settings) -> Result<(), Failure> {
    let mut schemas = onnx_schema::all().chain(onnx_schema::contrib());
    let schema = schemas.find(|schema| schema.to_string() == settings.suite);
    let schema = schema.ok_or("there is no such version")?;
    let mut plan = plan(schema, settings.seed).map_err(|absent| format!("{absent:?}"))?;
    plan.extend(Phase::Pair, settings.most);
    let cases: Vec<Case> = plan.into_cases().into_iter().map(|(_, case)| case).collect();
    if let Some((name, folder)) = &settings.dump {
        let case = cases
            .iter()
            .find(|case| case.name == *name)
            .ok_or("there is no such case")?;
        return dump(case, Path::new(folder));
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut reference = backend_reference::Reference::from_options(Options::default())?;
    let mut others: Vec<(&str, Box<dyn Backend>)> = Vec::new();
    let native = backend_native::Settings::from_options(Options::default())?;
    others.push(("native", Box::new(backend_native::Native::new(native))));
    if settings.ort {
        let options: Options = [("unreleased-opsets", "on")].into_iter().collect();
        let runtime = backend_ort::Settings::from_options(options)?;
        others.push(("ort", Box::new(backend_ort::OrtBackend::new(runtime)?)));
    }
    for (number, case) in cases.iter().enumerate().skip(settings.from) {
        eprintln!("at {number} {}", case.name);
        judge(case, &mut reference, &mut others);
    }
    eprintln!("done {}", cases.len());
    Ok(())
}

/// Runs a case on every backend, and prints the disagreements.
fn judge(case: &Case, reference: &mut dyn Backend, others: &mut [(&str, Box<dyn Backend>)]) {
    let request = LoadRequest {
        model: case.model.encode().into(),
        ..LoadRequest::default()
    };
    let expected = guarded(|| reference.load(request.clone())?.bound(&case.inputs));
    let expected = match expected {
        Ok(expected) => Ok(expected),
        Err((kind, message)) => {
            line(case, "reference", &kind, &message);
            Err(())
        }
    };
    for (name, backend) in others {
        eprintln!("on {name}");
        let found = guarded(|| backend.load(request.clone())?.run(&case.inputs));
        match (&expected, found) {
            (Ok(expected), Ok(found)) => {
                if let Some((kind, message)) = difference(case.random, expected, &found) {
                    line(case, name, kind, &message);
                }
            }
            (Err(()), Ok(_)) => line(case, name, "answers", ""),
            (_, Err((kind, message))) => line(case, name, &kind, &message),
        }
    }
}

fn guarded<T>(run: impl FnOnce() -> Result<T, BackendError>) -> Result<T, (String, String)> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error @ BackendError::Unsupported { .. })) => {
            Err(("unsupported".to_owned(), error.to_string()))
        }
        Ok(Err(error)) => Err(("error".to_owned(), error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?");
            Err(("panic".to_owned(), text.to_owned()))
        }
    }
}

#[allow(clippy::print_stdout, reason = "the result of the program")]
fn line(case: &Case, backend: &str, kind: &str, message: &str) {
    let types: Vec<String> = case
        .types
        .iter()
        .map(|(name, of)| format!("{name}={}", short(of)))
        .collect();
    let decisions: Vec<String> = case
        .decisions
        .iter()
        .map(|decision| format!("{}={}", decision.point, decision.taken))
        .collect();
    let fields = [
        &case.suite,
        &case.name,
        backend,
        kind,
        message,
        &types.join(" "),
        &decisions.join("; "),
    ];
    let fields: Vec<String> = fields.iter().map(|field| format!("{field:?}")).collect();
    println!("[{}]", fields.join(","));
}

/// The kind of a difference, and the first element that differs.
fn difference(random: bool, expected: &[Bounded], found: &[Named]) -> Option<(&'static str, String)> {
    if expected.len() != found.len() {
        return Some((
            "count",
            format!("expected {} outputs, got {}", expected.len(), found.len()),
        ));
    }
    let mut pairs = expected.iter().zip(found);
    pairs.find_map(|(bounded, (_, value))| {
        let (kind, text) = value_difference(random, &bounded.value, value, &bounded.reach)?;
        Some((kind, format!("{}: {text}", bounded.name)))
    })
}

fn value_difference(
    random: bool,
    expected: &Value,
    found: &Value,
    reach: &Reach,
) -> Option<(&'static str, String)> {
    match (expected, found) {
        (Value::Tensor(a), Value::Tensor(b)) => tensor_difference(random, a, b, reach),
        (Value::Sequence(a), Value::Sequence(b)) if a.values.len() == b.values.len() => {
            let mut pairs = a.values.iter().zip(&b.values);
            let unknown = Reach::Unknown {
                reason: String::new(),
            };
            pairs.find_map(|(a, b)| value_difference(random, a, b, &unknown))
        }
        (Value::Optional { value: Some(a), .. }, Value::Optional { value: Some(b), .. }) => {
            value_difference(random, a, b, reach)
        }
        (Value::Optional { value: None, .. }, Value::Optional { value: None, .. }) => None,
        (a, b) if format!("{a:?}") == format!("{b:?}") => None,
        (a, b) => Some((
            "kind",
            format!("expected {}, got {}", a.value_type(), b.value_type()),
        )),
    }
}

fn tensor_difference(random: bool, a: &Tensor, b: &Tensor, reach: &Reach) -> Option<(&'static str, String)> {
    if a.dtype() != b.dtype() {
        return Some(("type", format!("expected {}, got {}", a.dtype(), b.dtype())));
    }
    if a.shape() != b.shape() {
        return Some(("shape", format!("expected {:?}, got {:?}", a.shape(), b.shape())));
    }
    if random || a.same_bits(b) {
        return None;
    }
    let radius = match reach {
        Reach::Exact => Some(vec![0.0; a.len()]),
        Reach::Within { radius, .. } => radius.to_vec::<f64>().ok(),
        Reach::Unknown { .. } => None,
    };
    let Ok(pairs) = pairs(a, b) else {
        return Some((
            "elements",
            format!("expected {a:?}, got {b:?}").chars().take(300).collect(),
        ));
    };
    let wrong = |index: usize, a: f64, b: f64| {
        let slack = match &radius {
            Some(radius) => radius.get(index).copied().unwrap_or(0.0) + a.abs() * unit(reach),
            None => 1e-6 + 1e-2 * a.abs(),
        };
        let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        !same && !((a - b).abs() <= slack && (a != 0.0 || b != 0.0 || slack > 0.0))
    };
    let (index, a, b) = pairs.into_iter().find(|&(index, a, b)| wrong(index, a, b))?;
    let kind = match (a.is_nan() || b.is_nan(), a == b) {
        (true, _) => "nan",
        (false, true) => "zero",
        (false, false) => "value",
    };
    Some((kind, format!("[{index}] expected {a:?}, got {b:?}")))
}

/// The elements of both as f64, with their number.
fn pairs(a: &Tensor, b: &Tensor) -> Result<Vec<(usize, f64, f64)>, TensorError> {
    dispatch!(real, a.dtype(), T => {
        let pairs = a.to_vec::<T>()?.into_iter().zip(b.to_vec::<T>()?).enumerate();
        Ok(pairs.map(|(index, (a, b))| (index, Real::to_f64(a), Real::to_f64(b))).collect())
    })
}

/// One rounding unit of the format, for a result that is not exact.
fn unit(reach: &Reach) -> f64 {
    match reach {
        Reach::Exact => 0.0,
        Reach::Within { .. } | Reach::Unknown { .. } => f64::from(f32::EPSILON),
    }
}

fn dump(case: &Case, folder: &Path) -> Result<(), Failure> {
    let data = folder.join("test_data_set_0");
    fs::create_dir_all(&data)?;
    fs::write(folder.join("model.onnx"), case.model.encode())?;
    for (index, (name, value)) in case.inputs.iter().enumerate() {
        fs::write(data.join(format!("input_{index}.pb")), encode_value(value, name))?;
    }
    let text = format!("{:#?}\n{:#?}\n{:#?}\n", case.decisions, case.model, case.inputs);
    fs::write(folder.join("case.txt"), text)?;
    Ok(())
}
