//! Objects of the runtime that must be released exactly once.

use std::ptr::{self, NonNull};

use ort::sys;

/// An object of the runtime with the function that releases it.
pub(crate) trait Release {
    /// Releases the object.
    ///
    /// # Safety
    /// `object` was created by the runtime, is owned by the caller, and is not used again.
    unsafe fn release(object: *mut Self);
}

macro_rules! release {
    ($($object:ident by $function:ident;)*) => {$(
        impl Release for sys::$object {
            unsafe fn release(object: *mut Self) {
                // SAFETY: the caller owns `object` and does not use it again.
                unsafe { (ort::api().$function)(object) }
            }
        }
    )*};
}

release! {
    OrtSession by ReleaseSession;
    OrtSessionOptions by ReleaseSessionOptions;
    OrtTensorTypeAndShapeInfo by ReleaseTensorTypeAndShapeInfo;
    OrtTypeInfo by ReleaseTypeInfo;
    OrtValue by ReleaseValue;
}

/// An object of the runtime, released when this is dropped.
pub(crate) struct Owned<T: Release>(NonNull<T>);

impl<T: Release> Owned<T> {
    /// Takes ownership of the object that `create` writes to its argument.
    ///
    /// # Safety
    /// If `create` succeeds, it writes null or an object that nothing else releases.
    pub(crate) unsafe fn create(create: impl FnOnce(*mut *mut T) -> ort::Result<()>) -> ort::Result<Self> {
        let mut object = ptr::null_mut();
        create(&mut object)?;
        // SAFETY: by the contract of this function.
        unsafe { Owned::from_raw(object) }
            .ok_or_else(|| ort::Error::new("the runtime reported success and returned no object"))
    }

    /// Takes ownership of `object`, unless it is null.
    ///
    /// # Safety
    /// `object` is null or an object that nothing else releases.
    pub(crate) unsafe fn from_raw(object: *mut T) -> Option<Self> {
        NonNull::new(object).map(Owned)
    }

    /// A pointer to the object for a call that reads it.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.0.as_ptr()
    }

    /// A pointer to the object for a call that changes it.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Release> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the constructors require sole ownership, and this is the last use.
        unsafe { T::release(self.0.as_ptr()) }
    }
}
