//! Arrays in NumPy's format `.npy` (NEP 1), versions 1.0 to 3.0. The header is a Python literal with
//! three fixed keys, parsed by a regular expression: the crates for this format depend on a parser
//! generator.

use std::sync::LazyLock;

use ndarray::{ArrayD, IxDyn, ShapeBuilder};
use onnx_tensor::{Complex32, Complex64, Element, Tensor, f16};
use regex::Regex;

static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\{'descr': '(?P<descr>[^']*)', 'fortran_order': (?P<fortran>True|False), 'shape': \((?P<shape>[0-9, ]*)\),? *\}\s*$",
    )
    .expect("the expression is valid")
});

/// The characters of a message, which repeats parts of the file.
const LONGEST: usize = 300;

/// The array in `bytes`, in row-major order.
pub(super) fn read(bytes: &[u8]) -> Result<Tensor, String> {
    array(bytes).map_err(|reason| match reason.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &reason[..end]),
        None => reason,
    })
}

fn array(bytes: &[u8]) -> Result<Tensor, String> {
    let (header, data) = parts(bytes)?;
    let header = std::str::from_utf8(header).map_err(|_| "its header is not valid text")?;
    let fields = HEADER.captures(header.trim_end()).ok_or_else(|| {
        let start: String = header.chars().take(LONGEST).collect();
        format!("its header {start:?} is not supported")
    })?;
    let extents = fields["shape"]
        .split(',')
        .map(str::trim)
        .filter(|extent| !extent.is_empty());
    let extent = |extent: &str| {
        extent
            .parse()
            .map_err(|_| format!("its extent {extent} is too large"))
    };
    let shape: Vec<usize> = extents.map(extent).collect::<Result<_, _>>()?;
    let array = Array {
        shape: &shape,
        fortran: &fields["fortran"] == "True",
        data,
    };
    array.of(fields["descr"].trim_start_matches(['<', '|', '=']))
}

/// The header and the elements after it.
fn parts(bytes: &[u8]) -> Result<(&[u8], &[u8]), String> {
    let rest = bytes
        .strip_prefix(b"\x93NUMPY")
        .ok_or("it is not in NumPy's format")?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (u16::from_le_bytes([*a, *b]).into(), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]), rest),
        _ => return Err("its version is not 1, 2 or 3".to_owned()),
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(rest.split_at_checked(length).ok_or("it ends within its header")?)
}

fn halves<const N: usize, const M: usize>(bytes: [u8; N]) -> [[u8; M]; 2] {
    [0, M].map(|from| std::array::from_fn(|at| bytes[from + at]))
}

struct Array<'a> {
    shape: &'a [usize],
    fortran: bool,
    data: &'a [u8],
}

impl Array<'_> {
    /// An array with elements of a NumPy type.
    fn of(&self, kind: &str) -> Result<Tensor, String> {
        match kind {
            "b1" => self.tensor(|[byte]: [u8; 1]| byte != 0),
            "i1" => self.tensor(i8::from_le_bytes),
            "i2" => self.tensor(i16::from_le_bytes),
            "i4" => self.tensor(i32::from_le_bytes),
            "i8" => self.tensor(i64::from_le_bytes),
            "u1" => self.tensor(u8::from_le_bytes),
            "u2" => self.tensor(u16::from_le_bytes),
            "u4" => self.tensor(u32::from_le_bytes),
            "u8" => self.tensor(u64::from_le_bytes),
            "f2" => self.tensor(f16::from_le_bytes),
            "f4" => self.tensor(f32::from_le_bytes),
            "f8" => self.tensor(f64::from_le_bytes),
            "c8" => self.tensor(|bytes: [u8; 8]| {
                let [re, im] = halves(bytes).map(f32::from_le_bytes);
                Complex32::new(re, im)
            }),
            "c16" => self.tensor(|bytes: [u8; 16]| {
                let [re, im] = halves(bytes).map(f64::from_le_bytes);
                Complex64::new(re, im)
            }),
            text if text.starts_with('U') || text.starts_with('S') || text.starts_with('O') => Err(
                "its elements are strings: give them as .json (a list) or as .pb (TensorProto)".to_owned(),
            ),
            other => Err(format!(
                "its element type `{other}` is not an ONNX type in little-endian order"
            )),
        }
    }

    fn tensor<T: Element, const N: usize>(&self, element: impl Fn([u8; N]) -> T) -> Result<Tensor, String> {
        let count = self
            .shape
            .iter()
            .try_fold(1_usize, |count, extent| count.checked_mul(*extent));
        let (chunks, rest) = self.data.as_chunks::<N>();
        if count != Some(chunks.len()) || !rest.is_empty() {
            return Err(format!(
                "its shape {:?} does not fit its {} bytes",
                self.shape,
                self.data.len()
            ));
        }
        let elements: Vec<T> = chunks.iter().map(|bytes| element(*bytes)).collect();
        let elements = if self.fortran {
            let array =
                ArrayD::from_shape_vec(IxDyn(self.shape).f(), elements).map_err(|error| error.to_string())?;
            array.iter().cloned().collect()
        } else {
            elements
        };
        Tensor::new(self.shape, elements).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn arrays_are_read_in_both_orders() {
        let data: Vec<u8> = [1_i16, 2, 3, 4, 5, 6]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let c = file(
            "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }  \n",
            &data,
        );
        let f = file(
            "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n",
            &data,
        );
        let expected = |values: Vec<i16>| Tensor::new(&[2, 3], values).unwrap();
        assert!(read(&c).unwrap().same_bits(&expected(vec![1, 2, 3, 4, 5, 6])));
        assert!(read(&f).unwrap().same_bits(&expected(vec![1, 3, 5, 2, 4, 6])));
        let scalar = file("{'descr': '|b1', 'fortran_order': False, 'shape': (), }\n", &[1]);
        assert!(read(&scalar).unwrap().same_bits(&Tensor::scalar(true)));
        let vector = file(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n",
            &1.5_f32.to_le_bytes(),
        );
        assert!(read(&vector).unwrap().same_bits(&Tensor::vector(vec![1.5_f32])));
    }

    #[test]
    fn files_that_are_not_arrays_are_errors() {
        let huge = format!(
            "{{'descr': '<f4', 'fortran_order': False, 'shape': ({0}, {0}), }}\n",
            usize::MAX
        );
        for (bytes, part) in [
            (b"PK".to_vec(), "not in NumPy's format"),
            (b"\x93NUMPY\x01\x00\xff\xff{".to_vec(), "ends within its header"),
            (b"\x93NUMPY\x09\x00".to_vec(), "version"),
            (file("{}", &[]), "not supported"),
            (file(&huge, &[0; 4]), "does not fit"),
            (
                file(
                    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
                    &[0; 4],
                ),
                "does not fit",
            ),
            (
                file(
                    "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }",
                    &[0; 4],
                ),
                "`>f4`",
            ),
            (
                file(
                    "{'descr': '<U3', 'fortran_order': False, 'shape': (1,), }",
                    &[0; 12],
                ),
                "its elements are strings",
            ),
        ] {
            let error = read(&bytes).unwrap_err();
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
