//! Maps a [`DType`](crate::DType) that is known at run time to a Rust type.

/// Runs a body with `T` bound to the Rust type of a [`DType`](crate::DType), for one group of types.
///
/// The body must be a `Result<_, E>` with `E: From<TensorError>`. A type outside the group is
/// [`TensorError::DType`](crate::TensorError::DType).
///
/// Inside the body `T` is a concrete type, so its inherent methods take precedence over those of a trait.
/// Write `<T as Real>::from_f64(x)` and `Real::abs(x)`: `f16::from_f64` of `half` rounds twice, and
/// `i32::abs` panics for the minimum.
///
/// Groups: `float` (f16, bf16, f32, f64), `int` (8 to 64 bits), `signed` (signed integers and floats), `real`
/// (int and float), `plain` (real and bool), `scalar` (all except string and complex), `fixed` (all except
/// string), `all`.
///
/// ```
/// use onnx_tensor::{Tensor, TensorError, Real, dispatch};
/// fn negate(x: &Tensor) -> Result<Tensor, TensorError> {
///     dispatch!(signed, x.dtype(), T => Ok(Tensor::from(x.array::<T>()?.mapv(Real::neg))))
/// }
/// assert!(negate(&Tensor::scalar(1_u8)).is_err());
/// assert!(negate(&Tensor::scalar(1_i8)).unwrap().same_bits(&Tensor::scalar(-1_i8)));
/// ```
#[macro_export]
macro_rules! dispatch {
    (float, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(@ "a float (float16, bfloat16, float, double)", $dtype, $T, $body,
            Float16 f16, Bfloat16 bf16, Float f32, Double f64)
    };
    (int, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(@ "an integer of 8 to 64 bits", $dtype, $T, $body,
            Uint8 u8, Int8 i8, Uint16 u16, Int16 i16, Uint32 u32, Int32 i32, Uint64 u64, Int64 i64)
    };
    (signed, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(@ "a signed number", $dtype, $T, $body,
            Int8 i8, Int16 i16, Int32 i32, Int64 i64, Float16 f16, Bfloat16 bf16, Float f32, Double f64)
    };
    (real, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(@ "an integer of 8 to 64 bits or a float", $dtype, $T, $body,
            Uint8 u8, Int8 i8, Uint16 u16, Int16 i16, Uint32 u32, Int32 i32, Uint64 u64, Int64 i64,
            Float16 f16, Bfloat16 bf16, Float f32, Double f64)
    };
    (plain, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(@ "a bool, an integer of 8 to 64 bits or a float", $dtype, $T, $body,
            Uint8 u8, Int8 i8, Uint16 u16, Int16 i16, Uint32 u32, Int32 i32, Uint64 u64, Int64 i64,
            Float16 f16, Bfloat16 bf16, Float f32, Double f64, Bool bool)
    };
    (scalar, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(@ "a bool or a number that is not complex", $dtype, $T, $body,
            Uint8 u8, Int8 i8, Uint16 u16, Int16 i16, Uint32 u32, Int32 i32, Uint64 u64, Int64 i64,
            Float16 f16, Bfloat16 bf16, Float f32, Double f64, Bool bool,
            Float8E4M3Fn F8E4M3Fn, Float8E4M3Fnuz F8E4M3Fnuz, Float8E5M2 F8E5M2, Float8E5M2Fnuz F8E5M2Fnuz,
            Uint4 U4, Int4 I4, Float4E2M1 F4E2M1, Float8E8M0 F8E8M0, Uint2 U2, Int2 I2, Float6E2M3 F6E2M3,
            Float6E3M2 F6E3M2)
    };
    (fixed, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(@ "any type except string", $dtype, $T, $body,
            Uint8 u8, Int8 i8, Uint16 u16, Int16 i16, Uint32 u32, Int32 i32, Uint64 u64, Int64 i64,
            Float16 f16, Bfloat16 bf16, Float f32, Double f64, Bool bool,
            Complex64 Complex32, Complex128 Complex64, Float8E4M3Fn F8E4M3Fn, Float8E4M3Fnuz F8E4M3Fnuz,
            Float8E5M2 F8E5M2, Float8E5M2Fnuz F8E5M2Fnuz, Uint4 U4, Int4 I4, Float4E2M1 F4E2M1,
            Float8E8M0 F8E8M0, Uint2 U2, Int2 I2, Float6E2M3 F6E2M3, Float6E3M2 F6E3M2)
    };
    (all, $dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(@ "any element type", $dtype, $T, $body,
            Uint8 u8, Int8 i8, Uint16 u16, Int16 i16, Uint32 u32, Int32 i32, Uint64 u64, Int64 i64,
            Float16 f16, Bfloat16 bf16, Float f32, Double f64, Bool bool, String String,
            Complex64 Complex32, Complex128 Complex64, Float8E4M3Fn F8E4M3Fn, Float8E4M3Fnuz F8E4M3Fnuz,
            Float8E5M2 F8E5M2, Float8E5M2Fnuz F8E5M2Fnuz, Uint4 U4, Int4 I4, Float4E2M1 F4E2M1,
            Float8E8M0 F8E8M0, Uint2 U2, Int2 I2, Float6E2M3 F6E2M3, Float6E3M2 F6E3M2)
    };
    (@ $expected:literal, $dtype:expr, $T:ident, $body:expr, $($variant:ident $ty:ident),*) => {
        match $dtype {
            $($crate::DType::$variant => {
                type $T = $crate::dispatch!(@type $ty);
                $body
            })*
            #[allow(unreachable_patterns, reason = "the group `all` covers every variant")]
            found => Err($crate::TensorError::DType { expected: $expected, found }.into()),
        }
    };
    (@type u8) => { u8 };
    (@type i8) => { i8 };
    (@type u16) => { u16 };
    (@type i16) => { i16 };
    (@type u32) => { u32 };
    (@type i32) => { i32 };
    (@type u64) => { u64 };
    (@type i64) => { i64 };
    (@type f32) => { f32 };
    (@type f64) => { f64 };
    (@type bool) => { bool };
    (@type String) => { ::std::string::String };
    (@type $ty:ident) => { $crate::$ty };
}
