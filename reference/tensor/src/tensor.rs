//! A tensor of any element type.

mod dense;
pub mod element;

use ndarray::{ArcArray, IxDyn};

use crate::footprint::count;
use crate::{
    Complex32, Complex64, DType, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0,
    I2, I4, TensorError, U2, U4, bf16, f16,
};

pub use dense::row_major;
use element::Element;

/// An n-dimensional array with shared elements, copied on write.
pub type Array<T> = ArcArray<T, IxDyn>;

/// Whether two values are the same: for floats, same bits or both NaN.
macro_rules! same {
    (exact, $a:expr, $b:expr) => {
        $a == $b
    };
    (float, $a:expr, $b:expr) => {
        $a.to_bits() == $b.to_bits() || $a.is_nan() && $b.is_nan()
    };
    (complex, $a:expr, $b:expr) => {
        $a.re.same(&$b.re) && $a.im.same(&$b.im)
    };
    (small, $a:expr, $b:expr) => {
        $a.0 == $b.0 || $a.to_f64().is_nan() && $b.to_f64().is_nan()
    };
}

macro_rules! tensor {
    ($($name:ident($ty:ty, $same:ident)),* $(,)?) => {
        /// An n-dimensional array of one of the 28 element types.
        #[derive(Clone, Debug)]
        pub enum Tensor {
            $($name(Array<$ty>),)*
        }

        impl Tensor {
            /// The element type.
            pub fn dtype(&self) -> DType {
                match self {
                    $(Tensor::$name(_) => DType::$name,)*
                }
            }

            /// The extent of each axis; empty for a scalar.
            pub fn shape(&self) -> &[usize] {
                match self {
                    $(Tensor::$name(array) => array.shape(),)*
                }
            }

            /// The number of elements.
            pub fn len(&self) -> usize {
                match self {
                    $(Tensor::$name(array) => array.len(),)*
                }
            }

            /// Returns the tensor with its elements contiguous in row-major order; shared if they already
            /// are.
            pub fn to_standard(&self) -> Tensor {
                match self {
                    $(Tensor::$name(array) if array.is_standard_layout() => Tensor::$name(array.clone()),)*
                    $(Tensor::$name(array) => Tensor::$name(array.as_standard_layout().into_owned().into_shared()),)*
                }
            }

            /// Whether both have the same type, shape, and bits in every element. All NaNs are equal.
            pub fn same_bits(&self, other: &Tensor) -> bool {
                match (self, other) {
                    $((Tensor::$name(a), Tensor::$name(b)) => {
                        a.shape() == b.shape() && a.iter().zip(b.iter()).all(|(x, y)| x.same(y))
                    })*
                    _ => false,
                }
            }

            /// Returns the elements with another shape, which must have the same number of elements. They are
            /// shared if they are contiguous in row-major order.
            pub fn reshape(&self, shape: &[usize]) -> Result<Tensor, TensorError> {
                let expected = count(shape)?;
                let error = || TensorError::Count { shape: shape.to_vec(), expected, found: self.len() };
                match self.to_standard() {
                    $(Tensor::$name(array) => array
                        .into_shape_with_order(IxDyn(shape))
                        .map(Tensor::$name)
                        .map_err(|_| error()),)*
                }
            }
        }

        $(impl Element for $ty {
            const DTYPE: DType = DType::$name;
            fn wrap(array: Array<Self>) -> Tensor {
                Tensor::$name(array)
            }
            fn unwrap(tensor: &Tensor) -> Option<&Array<Self>> {
                match tensor {
                    Tensor::$name(array) => Some(array),
                    _ => None,
                }
            }
            fn same(&self, other: &Self) -> bool {
                same!($same, self, other)
            }
        })*
    };
}

tensor! {
    Float(f32, float),
    Uint8(u8, exact),
    Int8(i8, exact),
    Uint16(u16, exact),
    Int16(i16, exact),
    Int32(i32, exact),
    Int64(i64, exact),
    String(String, exact),
    Bool(bool, exact),
    Float16(f16, float),
    Double(f64, float),
    Uint32(u32, exact),
    Uint64(u64, exact),
    Complex64(Complex32, complex),
    Complex128(Complex64, complex),
    Bfloat16(bf16, float),
    Float8E4M3Fn(F8E4M3Fn, small),
    Float8E4M3Fnuz(F8E4M3Fnuz, small),
    Float8E5M2(F8E5M2, small),
    Float8E5M2Fnuz(F8E5M2Fnuz, small),
    Uint4(U4, exact),
    Int4(I4, exact),
    Float4E2M1(F4E2M1, small),
    Float8E8M0(F8E8M0, small),
    Uint2(U2, exact),
    Int2(I2, exact),
    Float6E2M3(F6E2M3, small),
    Float6E3M2(F6E3M2, small),
}

impl Tensor {
    /// Makes a tensor of `shape` from `elements` in row-major order.
    pub fn new<T: Element>(shape: &[usize], elements: Vec<T>) -> Result<Tensor, TensorError> {
        let (expected, found) = (count(shape)?, elements.len());
        Array::from_shape_vec(IxDyn(shape), elements)
            .map(T::wrap)
            .map_err(|_| TensorError::Count {
                shape: shape.to_vec(),
                expected,
                found,
            })
    }

    /// Makes a tensor of rank 0.
    pub fn scalar<T: Element>(value: T) -> Tensor {
        T::wrap(ndarray::arr0(value).into_dyn().into_shared())
    }

    /// Makes a tensor of rank 1.
    pub fn vector<T: Element>(elements: Vec<T>) -> Tensor {
        T::wrap(ndarray::Array1::from_vec(elements).into_dyn().into_shared())
    }

    /// Returns the array if the elements have type `T`.
    pub fn array<T: Element>(&self) -> Result<&Array<T>, TensorError> {
        T::unwrap(self).ok_or(TensorError::DType {
            expected: T::DTYPE.onnx_name(),
            found: self.dtype(),
        })
    }

    /// Copies the elements in row-major order if they have type `T`.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, TensorError> {
        Ok(row_major(self.array::<T>()?).into_owned())
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// Whether the tensor has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Element> From<Array<T>> for Tensor {
    fn from(array: Array<T>) -> Tensor {
        T::wrap(array)
    }
}

impl<T: Element> From<ndarray::ArrayD<T>> for Tensor {
    fn from(array: ndarray::ArrayD<T>) -> Tensor {
        T::wrap(array.into_shared())
    }
}
