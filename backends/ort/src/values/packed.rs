//! Elements of fewer than 8 bits, packed as in `TensorProto.raw_data`: the first in the lowest bits.

/// Packs elements of `bits` (2 or 4) each. Upper bits are dropped; the last byte is padded with zeros.
pub(super) fn pack(elements: impl ExactSizeIterator<Item = u8>, bits: usize) -> Vec<u8> {
    let per_byte = 8 / bits;
    let mask = (1_u8 << bits) - 1;
    let mut bytes = vec![0; elements.len().div_ceil(per_byte)];
    for (index, element) in elements.enumerate() {
        if let Some(byte) = bytes.get_mut(index / per_byte) {
            *byte |= (element & mask) << (bits * (index % per_byte));
        }
    }
    bytes
}

/// Unpacks the first `count` elements of `bits` (2 or 4) each, zero-extended.
pub(super) fn unpack(bytes: &[u8], bits: usize, count: usize) -> impl Iterator<Item = u8> {
    let per_byte = 8 / bits;
    let mask = (1_u8 << bits) - 1;
    let split = move |&byte: &u8| (0..per_byte).map(move |index| (byte >> (bits * index)) & mask);
    bytes.iter().flat_map(split).take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_is_in_the_lowest_bits() {
        assert_eq!(pack([1, 2, 0xFF].into_iter(), 4), [0x21, 0x0F]);
        assert_eq!(pack([1, 2, 3, 0, 2].into_iter(), 2), [0b0011_1001, 0b10]);
        assert_eq!(unpack(&[0x21, 0x0F], 4, 3).collect::<Vec<_>>(), [1, 2, 15]);
        assert_eq!(
            unpack(&[0b0011_1001, 0b10], 2, 5).collect::<Vec<_>>(),
            [1, 2, 3, 0, 2]
        );
    }
}
