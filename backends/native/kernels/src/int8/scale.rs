//! The numbers that bytes represent.

use super::finish::Place;

/// How bytes represent numbers: `(byte - zero) · scale`, rounded once to f32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByteScale {
    /// Whether the bytes are signed.
    pub signed: bool,
    /// The scale, a positive normal number.
    pub scale: f32,
    /// The zero point, one of the bytes.
    pub zero: i32,
}

impl ByteScale {
    /// The bits to flip to make the bytes unsigned.
    pub(super) fn flip(self) -> u8 {
        if self.signed { 0x80 } else { 0 }
    }

    /// The zero point of the unsigned bytes.
    pub(super) fn unsigned_zero(self) -> i32 {
        self.zero.wrapping_add(i32::from(self.flip()))
    }

    /// Returns the number that the bits of a byte represent.
    #[inline(always)]
    pub fn value(self, bits: u8) -> f32 {
        i32::from(bits ^ self.flip()).wrapping_sub(self.unsigned_zero()) as f32 * self.scale
    }

    /// Returns the bits of `saturate(round(value / scale) + zero)`, ties to even, with the quotient rounded
    /// to f32. The value is not NaN.
    #[inline(always)]
    pub fn bits(self, value: f32) -> u8 {
        let place = self.place();
        round(value / self.scale, place.low as f32, place.high as f32).wrapping_add(place.zero)
    }

    /// The range of the bytes relative to their zero point.
    pub(super) fn place(self) -> Place {
        Place::of_sign(self.signed, self.zero)
    }
}

/// Returns the low byte of the nearest integer, ties to even, between two integers below 2¹⁰; NaN becomes
/// `low`.
#[inline(always)]
pub(super) fn round(value: f32, low: f32, high: f32) -> u8 {
    let value = if value > low { value } else { low };
    let value = if value < high { value } else { high };
    (value + 12_582_912.0).to_bits() as u8
}
