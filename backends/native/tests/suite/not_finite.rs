//! An element of an image that is not finite changes only the results of a convolution whose window it is in.

use backend_api::{Backend, LoadRequest, Session};
use backend_native::{Native, Settings};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};

/// The channel, row and column of the element.
const PLACE: [usize; 3] = [1, 3, 5];

/// A convolution of an image `[1, channels, size, size]` with filters of 3 × 3 and padding of 1.
#[derive(Clone, Copy, Debug)]
struct Case {
    channels: usize,
    groups: usize,
    filters: usize,
    size: usize,
}

fn varied(shape: &[usize], step: f32) -> Tensor {
    let count: usize = shape.iter().product();
    let elements: Vec<f32> = (0..count).map(|at| (at as f32 * step).sin()).collect();
    Tensor::new(shape, elements).expect("as many as the shape has")
}

impl Case {
    fn model(self) -> Model {
        let attribute = |name: &str, value| Attribute {
            name: name.to_owned(),
            value,
        };
        let info = |name: &str, channels: usize| ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype: DType::Float,
                shape: Some([1, channels, self.size, self.size].map(Dim::Fixed).to_vec()),
            }),
        };
        let node = Node {
            operator: "Conv".to_owned(),
            inputs: ["x", "w", "b"].map(str::to_owned).to_vec(),
            outputs: vec!["y".to_owned()],
            attributes: vec![
                attribute("group", AttributeValue::Int(self.groups as i64)),
                attribute("pads", AttributeValue::Ints(vec![1; 4])),
            ],
            ..Node::default()
        };
        let weights = varied(&[self.filters, self.channels / self.groups, 3, 3], 0.37);
        let graph = Graph {
            inputs: vec![info("x", self.channels)],
            outputs: vec![info("y", self.filters)],
            initializers: vec![
                ("w".to_owned(), Value::Tensor(weights)),
                ("b".to_owned(), Value::Tensor(varied(&[self.filters], 0.9))),
            ],
            nodes: vec![node],
            ..Graph::default()
        };
        Model::new(17, graph)
    }

    /// Whether the window of a result, or its group, leaves the element out.
    fn is_apart(self, filter: usize, row: usize, column: usize) -> bool {
        let group = |channel: usize, channels: usize| channel * self.groups / channels;
        group(filter, self.filters) != group(PLACE[0], self.channels)
            || row.abs_diff(PLACE[1]) > 1
            || column.abs_diff(PLACE[2]) > 1
    }
}

fn run(session: &mut dyn Session, image: Vec<f32>, shape: &[usize]) -> Vec<f32> {
    let image = Tensor::new(shape, image).expect("an image");
    let mut outputs = session
        .run(&[("x".to_owned(), Value::Tensor(image))])
        .expect("it runs");
    match outputs.pop() {
        Some((_, Value::Tensor(result))) => result.to_vec::<f32>().expect("floats"),
        other => panic!("expected a tensor, got {other:?}"),
    }
}

#[track_caller]
fn check(case: Case) {
    let request = LoadRequest {
        model: case.model().encode().into(),
        ..LoadRequest::default()
    };
    let mut session = Native::new(Settings::default()).load(request).expect("it loads");
    let shape = [1, case.channels, case.size, case.size];
    let image = varied(&shape, 0.61).to_vec::<f32>().expect("floats");
    let plain = run(&mut *session, image.clone(), &shape);
    let at = (PLACE[0] * case.size + PLACE[1]) * case.size + PLACE[2];
    for element in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX] {
        let mut image = image.clone();
        image[at] = element;
        let results = run(&mut *session, image, &shape);
        for (position, (result, plain)) in results.iter().zip(&plain).enumerate() {
            let (filter, pixel) = (position / case.size.pow(2), position % case.size.pow(2));
            let (row, column) = (pixel / case.size, pixel % case.size);
            assert!(
                !case.is_apart(filter, row, column) || (result - plain).abs() < 1e-3,
                "{case:?} with {element}: result [{filter}, {row}, {column}] became {result}, expected {plain}"
            );
        }
    }
}

#[test]
fn an_element_that_is_not_finite_stays_in_its_windows() {
    for (channels, groups, filters, size) in [
        // Plain images, depthwise, groups of whole and of partial vectors.
        (3, 1, 8, 9),
        (16, 16, 16, 9),
        (64, 2, 64, 9),
        (8, 4, 8, 9),
        (6, 3, 9, 9),
        // Winograd's filtering, in both sizes of its tiles.
        (64, 1, 64, 12),
        (64, 1, 64, 28),
        (32, 1, 48, 56),
    ] {
        check(Case {
            channels,
            groups,
            filters,
            size,
        });
    }
}
