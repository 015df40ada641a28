//! Libraries with execution providers, and the devices that they offer, by functions that the runtime has
//! since version 1.22.
//!
//! As in `assignment`, the functions are found by their positions, those of `onnxruntime_c_api.h` of
//! version 1.22.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::{mem, ptr};

use ort::AsPointer;
use ort::environment::Environment;
use ort::sys;

use super::{Owned, interface_table, key_value_pointers};

/// The version of the interface that has these functions.
const INTERFACE: u32 = 22;

/// The positions of the functions.
const KEY_VALUE_PAIRS: usize = 298;
const REGISTER: usize = 301;
const DEVICES: usize = 303;
const APPEND: usize = 304;
/// `HardwareDevice_Type`, `_VendorId`, `_Vendor`, `_DeviceId`, `_Metadata`.
const HARDWARE: usize = 307;
/// `EpDevice_EpName`, `_EpVendor`, `_EpMetadata`, `_EpOptions`, `_Device`.
const OF_PROVIDER: usize = 312;

type Texts = *const *const c_char;
type KeyValuePairs = unsafe extern "system" fn(*const c_void, *mut Texts, *mut Texts, *mut usize);
/// The path has bytes, except on Windows.
type Register =
    unsafe extern "system" fn(*const sys::OrtEnv, *const c_char, *const c_void) -> sys::OrtStatusPtr;
type Devices =
    unsafe extern "system" fn(*const sys::OrtEnv, *mut *const *const c_void, *mut usize) -> sys::OrtStatusPtr;
type Append = unsafe extern "system" fn(
    *mut sys::OrtSessionOptions,
    *const sys::OrtEnv,
    *const *const c_void,
    usize,
    Texts,
    Texts,
    usize,
) -> sys::OrtStatusPtr;
type Part = unsafe extern "system" fn(*const c_void) -> *const c_void;
type Text = unsafe extern "system" fn(*const c_void) -> *const c_char;
type Number = unsafe extern "system" fn(*const c_void) -> u32;

/// The functions for libraries with providers.
#[derive(Clone, Copy)]
pub(crate) struct Plugins {
    key_value_pairs: KeyValuePairs,
    register: Register,
    devices: Devices,
    append: Append,
    kind: Number,
    vendor_id: Number,
    vendor: Text,
    device_id: Number,
    device_metadata: Part,
    provider: Text,
    provider_vendor: Text,
    provider_metadata: Part,
    device: Part,
}

/// A device, with the provider that offers it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Device {
    /// The provider's name, as in the assignment of nodes.
    pub provider: String,
    pub provider_vendor: String,
    /// `cpu`, `gpu` or `npu`.
    pub kind: &'static str,
    pub vendor: String,
    pub vendor_id: u32,
    pub device_id: u32,
    /// What the provider and the system report, such as the version, the driver or the memory.
    pub metadata: BTreeMap<String, String>,
    /// The address of the runtime's object, which lives as long as the environment.
    pub(crate) address: usize,
}

impl Plugins {
    /// Returns the functions of a runtime of version 1.`minor`; `None` if it is too old.
    ///
    /// # Safety
    /// `base` is the result of `OrtGetApiBase` of a loaded runtime, and the runtime stays loaded.
    pub(crate) unsafe fn of(base: *const sys::OrtApiBase, minor: u32) -> Option<Plugins> {
        // SAFETY: by the contract of this function.
        let table = unsafe { interface_table(base, INTERFACE, minor) }?;
        // SAFETY: a table of this version has more functions than that; each is a pointer.
        let function = |position: usize| unsafe { *table.add(position) };
        // SAFETY: the functions at these positions have these signatures; pointers to opaque types have the
        // same representation, and so has the enumeration of kinds.
        unsafe {
            Some(Plugins {
                key_value_pairs: mem::transmute::<*const c_void, KeyValuePairs>(function(KEY_VALUE_PAIRS)),
                register: mem::transmute::<*const c_void, Register>(function(REGISTER)),
                devices: mem::transmute::<*const c_void, Devices>(function(DEVICES)),
                append: mem::transmute::<*const c_void, Append>(function(APPEND)),
                kind: mem::transmute::<*const c_void, Number>(function(HARDWARE)),
                vendor_id: mem::transmute::<*const c_void, Number>(function(HARDWARE + 1)),
                vendor: mem::transmute::<*const c_void, Text>(function(HARDWARE + 2)),
                device_id: mem::transmute::<*const c_void, Number>(function(HARDWARE + 3)),
                device_metadata: mem::transmute::<*const c_void, Part>(function(HARDWARE + 4)),
                provider: mem::transmute::<*const c_void, Text>(function(OF_PROVIDER)),
                provider_vendor: mem::transmute::<*const c_void, Text>(function(OF_PROVIDER + 1)),
                provider_metadata: mem::transmute::<*const c_void, Part>(function(OF_PROVIDER + 2)),
                device: mem::transmute::<*const c_void, Part>(function(OF_PROVIDER + 4)),
            })
        }
    }

    /// Registers a library under a name. Its devices are then among [`Plugins::devices`].
    pub(crate) fn register(&self, environment: &Environment, name: &CStr, library: &CStr) -> ort::Result<()> {
        // SAFETY: the environment and the strings are valid; the library stays registered.
        unsafe {
            ort::Error::result_from_status((self.register)(
                environment.ptr(),
                name.as_ptr(),
                library.as_ptr().cast(),
            ))
        }
    }

    /// Returns the devices of every registered provider, including the CPU's.
    pub(crate) fn devices(&self, environment: &Environment) -> ort::Result<Vec<Device>> {
        let (mut data, mut count) = (ptr::null(), 0);
        // SAFETY: the environment is valid, and it owns the array; the status is new.
        unsafe { ort::Error::result_from_status((self.devices)(environment.ptr(), &mut data, &mut count)) }?;
        if data.is_null() {
            return Ok(Vec::new());
        }
        // SAFETY: the runtime returns an array of that length; its objects live as long as the environment.
        let objects = unsafe { std::slice::from_raw_parts(data, count) };
        // SAFETY: as above.
        Ok(objects
            .iter()
            .map(|&object| unsafe { self.read(object) })
            .collect())
    }

    /// # Safety
    /// `object` is a device of the runtime.
    unsafe fn read(&self, object: *const c_void) -> Device {
        // SAFETY: the object is valid, and so are its parts.
        unsafe {
            let hardware = (self.device)(object);
            let mut metadata = self.pairs((self.device_metadata)(hardware));
            metadata.extend(self.pairs((self.provider_metadata)(object)));
            Device {
                provider: text((self.provider)(object)),
                provider_vendor: text((self.provider_vendor)(object)),
                kind: match (self.kind)(hardware) {
                    0 => "cpu",
                    1 => "gpu",
                    2 => "npu",
                    _ => "device",
                },
                vendor: text((self.vendor)(hardware)),
                vendor_id: (self.vendor_id)(hardware),
                device_id: (self.device_id)(hardware),
                metadata,
                address: object as usize,
            }
        }
    }

    /// # Safety
    /// `object` is null or a list of pairs.
    unsafe fn pairs(&self, object: *const c_void) -> BTreeMap<String, String> {
        if object.is_null() {
            return BTreeMap::new();
        }
        let (mut keys, mut values, mut count) = (ptr::null(), ptr::null(), 0);
        // SAFETY: the object is valid, and it owns both arrays, which have the same length.
        unsafe {
            (self.key_value_pairs)(object, &mut keys, &mut values, &mut count);
            let pair = |index| (text(*keys.add(index)), text(*values.add(index)));
            (0..count).map(pair).collect()
        }
    }

    /// Makes a session use a device, with options of its provider.
    pub(crate) fn append(
        &self,
        environment: &Environment,
        session: &mut Owned<sys::OrtSessionOptions>,
        device: &Device,
        options: &[(CString, CString)],
    ) -> ort::Result<()> {
        let device = device.address as *const c_void;
        let (keys, values) = key_value_pointers(options);
        // SAFETY: all objects are valid, the device because its library stays registered; the arrays have
        // these lengths, and the runtime copies the strings.
        unsafe {
            ort::Error::result_from_status((self.append)(
                session.as_mut_ptr(),
                environment.ptr(),
                &device,
                1,
                keys.as_ptr(),
                values.as_ptr(),
                options.len(),
            ))
        }
    }
}

/// Copies a string of the runtime.
///
/// # Safety
/// `text` is null, or ends with a NUL.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of this function.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
