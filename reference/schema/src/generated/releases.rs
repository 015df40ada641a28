//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! `onnx.helper.VERSION_TABLE`, oldest release first.

use crate::literal::release;
use crate::rows::Release;

pub(crate) static RELEASES: [Release; 34] = [
    release("1.0", 3, 1, 1, None),
    release("1.1", 3, 5, 1, None),
    release("1.1.2", 3, 6, 1, None),
    release("1.2", 3, 7, 1, None),
    release("1.3", 3, 8, 1, None),
    release("1.4.1", 4, 9, 1, None),
    release("1.5.0", 5, 10, 1, None),
    release("1.6.0", 6, 11, 2, None),
    release("1.7.0", 7, 12, 2, Some(1)),
    release("1.8.0", 7, 13, 2, Some(1)),
    release("1.8.1", 7, 13, 2, Some(1)),
    release("1.9.0", 7, 14, 2, Some(1)),
    release("1.10.0", 8, 15, 2, Some(1)),
    release("1.10.1", 8, 15, 2, Some(1)),
    release("1.10.2", 8, 15, 2, Some(1)),
    release("1.11.0", 8, 16, 3, Some(1)),
    release("1.12.0", 8, 17, 3, Some(1)),
    release("1.13.0", 8, 18, 3, Some(1)),
    release("1.13.1", 8, 18, 3, Some(1)),
    release("1.14.0", 9, 19, 3, Some(1)),
    release("1.14.1", 9, 19, 3, Some(1)),
    release("1.15.0", 9, 20, 4, Some(1)),
    release("1.16.0", 10, 21, 5, Some(1)),
    release("1.16.1", 10, 21, 5, Some(1)),
    release("1.16.2", 10, 21, 5, Some(1)),
    release("1.17.0", 10, 22, 5, Some(1)),
    release("1.18.0", 11, 23, 5, Some(1)),
    release("1.19.0", 12, 24, 5, Some(1)),
    release("1.19.1", 12, 24, 5, Some(1)),
    release("1.20.0", 13, 25, 5, Some(1)),
    release("1.20.1", 13, 25, 5, Some(1)),
    release("1.21.0", 13, 26, 5, Some(1)),
    release("1.22.0", 13, 27, 5, Some(1)),
    release("1.23.0", 14, 28, 5, Some(1)),
];
