//! Integers of 4 and 2 bits, each stored in one byte.

macro_rules! small_int {
    ($(#[$doc:meta])* $name:ident, $repr:ty, $bits:literal, $min:literal, $max:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
        pub struct $name($repr);

        impl $name {
            /// The minimum.
            pub const MIN: Self = $name($min);
            /// The maximum.
            pub const MAX: Self = $name($max);

            /// Keeps the low bits of `value`, as a conversion between integers does.
            pub const fn wrap(value: i64) -> Self {
                const SHIFT: u32 = <$repr>::BITS - $bits;
                $name(((value as $repr) << SHIFT) >> SHIFT)
            }

            /// Returns the representable value nearest to `value`.
            pub fn saturate(value: i64) -> Self {
                $name(value.clamp($min, $max) as $repr)
            }

            /// Returns the value.
            pub const fn get(self) -> $repr {
                self.0
            }
        }
    };
}

small_int!(
    /// A signed integer of 4 bits: −8 to 7.
    I4, i8, 4, -8, 7
);
small_int!(
    /// An unsigned integer of 4 bits: 0 to 15.
    U4, u8, 4, 0, 15
);
small_int!(
    /// A signed integer of 2 bits: −2 to 1.
    I2, i8, 2, -2, 1
);
small_int!(
    /// An unsigned integer of 2 bits: 0 to 3.
    U2, u8, 2, 0, 3
);
