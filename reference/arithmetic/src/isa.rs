//! Instruction sets: one body of a loop, compiled for each of them.
//!
//! All of them have the same results. The operations of f64, its fused multiply-add included, are correctly
//! rounded everywhere, and a body states the order of every sum.

/// Defines functions whose bodies are compiled for AVX-512, for AVX2 with FMA, and for any processor.
macro_rules! vectorised {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $result:ty)? $body:block
    )*) => {$(
        $(#[$meta])*
        $vis fn $name($($arg: $ty),*) $(-> $result)? {
            #[inline(always)]
            fn body($($arg: $ty),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
                fn avx512($($arg: $ty),*) $(-> $result)? {
                    body($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $ty),*) $(-> $result)? {
                    body($($arg),*)
                }
                match crate::isa::Isa::detect() {
                    // SAFETY: `detect` found the features of the function.
                    crate::isa::Isa::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    crate::isa::Isa::Avx2 => return unsafe { avx2($($arg),*) },
                    crate::isa::Isa::Any => {}
                }
            }
            body($($arg),*)
        }
    )*};
}
pub(crate) use vectorised;

/// What the processor has.
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "other processors have none but `Any`")
)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Isa {
    /// AVX-512 with its extensions for bytes, words and vectors of every length.
    Avx512,
    /// AVX2 and FMA.
    Avx2,
    /// What every processor of the architecture has.
    Any,
}

impl Isa {
    /// The widest that the processor has.
    #[inline]
    pub(crate) fn detect() -> Isa {
        let found = widest();
        #[cfg(test)]
        let found = limited(found);
        found
    }
}

/// The widest that the processor has, also in a test.
#[inline]
fn widest() -> Isa {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match (avx512, avx2) {
            (true, true) => Isa::Avx512,
            (false, true) => Isa::Avx2,
            _ => Isa::Any,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Isa::Any
}

#[cfg(test)]
thread_local! {
    static LIMIT: std::cell::Cell<Isa> = const { std::cell::Cell::new(Isa::Avx512) };
}

/// The narrower of `found` and the limit of this thread.
#[cfg(test)]
fn limited(found: Isa) -> Isa {
    match (LIMIT.get(), found) {
        (Isa::Any, _) | (_, Isa::Any) => Isa::Any,
        (Isa::Avx2, _) | (_, Isa::Avx2) => Isa::Avx2,
        (Isa::Avx512, Isa::Avx512) => Isa::Avx512,
    }
}

/// The results of `f` on each instruction set that the processor has.
#[cfg(test)]
pub(crate) fn on_each<R>(f: impl Fn() -> R) -> Vec<R> {
    let results = [Isa::Any, Isa::Avx2, Isa::Avx512].map(|isa| {
        LIMIT.set(isa);
        f()
    });
    LIMIT.set(Isa::Avx512);
    results.into()
}
