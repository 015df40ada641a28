//! The limits of what an answer may contain.
//!
//! A header is at most 1 MiB long, but the harness keeps the texts of thousands of answers and writes them
//! into every report. This is the one place that shortens texts and refuses numbers: nothing behind it needs
//! to check them again. `docs/protocol.md` states the limits.

use std::collections::{BTreeMap, BTreeSet};

use super::bounded::BoundedOutputs;
use super::error::Problem;
use super::message::{Answer, Benched, Hello, Loaded, Ran, Refusal};
use super::part::is_sha256;
use crate::{BackendError, Capabilities, Description, Placement, Profile};

/// The maximum length in bytes of a text for people: the message of an error, the reason of a refusal.
pub const MAX_MESSAGE: usize = 2048;

/// The maximum length in bytes of a name: of a value, a node, an operator, an option, a device.
pub const MAX_NAME: usize = 4096;

/// The maximum time in nanoseconds, about 28 hours. The sum of all times of an answer then fits 64 bits.
pub const MAX_NANOSECONDS: u64 = 100_000_000_000_000;

/// The maximum number of calls of a step in a profile.
pub const MAX_CALLS: u64 = 1_000_000_000_000;

/// The maximum number of devices, options and domains that a backend describes.
pub const MAX_DESCRIBED: usize = 1000;

/// The maximum number of different providers in a placement.
pub const MAX_PROVIDERS: usize = 64;

/// Shortens a text to at most `most` bytes, at least 64: its beginning and its end remain, with a note of how
/// many bytes are left out between them.
pub fn shorten(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let note = |left_out: usize| format!(" [{left_out} bytes left out] ");
    let room = most.saturating_sub(note(text.len()).len());
    let head = text.floor_char_boundary(room / 4 * 3);
    let tail = text.ceil_char_boundary(text.len() - room / 4);
    text.replace_range(head..tail, &note(tail - head));
}

/// What has texts, names, lists and numbers of an answer.
pub(super) trait Cap {
    /// Shortens the texts for people, and refuses names, lists and numbers beyond the limits.
    fn cap(&mut self) -> Result<(), Problem>;
}

impl<V> Cap for Answer<V> {
    fn cap(&mut self) -> Result<(), Problem> {
        match self {
            Answer::Hello(Hello { backend, .. }) => backend.cap(),
            Answer::Capabilities(capabilities) => capabilities.cap(),
            Answer::Loaded(Loaded { nanoseconds, .. }) | Answer::Ran(Ran { nanoseconds, .. }) => {
                time(*nanoseconds)
            }
            Answer::Missing { sha256 } => digests(sha256),
            Answer::Placed { placement } => cap_placement(placement),
            Answer::Bounded(bounded) => bounded.cap(),
            Answer::Benched(Benched {
                warmup_nanoseconds,
                nanoseconds,
                ..
            }) => times(warmup_nanoseconds.iter().chain(nanoseconds.iter())),
            Answer::Profiled(profile) => profile.cap(),
            Answer::Failed { error } => {
                error.cap();
                Ok(())
            }
            Answer::Refused(Refusal { message, .. }) => {
                shorten(message, MAX_MESSAGE);
                Ok(())
            }
            Answer::Probed | Answer::Unloaded | Answer::Bye => Ok(()),
        }
    }
}

impl BackendError {
    /// Shortens its texts to the limits of the protocol.
    pub fn cap(&mut self) {
        match self {
            BackendError::Unsupported { message, operator } => {
                shorten(message, MAX_MESSAGE);
                if let Some(operator) = operator {
                    shorten(operator, MAX_MESSAGE);
                }
            }
            BackendError::Option { option, message } => {
                shorten(option, MAX_MESSAGE);
                shorten(message, MAX_MESSAGE);
            }
            BackendError::NotTaken { message }
            | BackendError::Load { message }
            | BackendError::Run { message }
            | BackendError::OutOfMemory { message }
            | BackendError::Missing { message } => shorten(message, MAX_MESSAGE),
        }
    }
}

impl Cap for Description {
    fn cap(&mut self) -> Result<(), Problem> {
        for text in [
            &mut self.name,
            &mut self.version,
            &mut self.build,
            &mut self.provider,
        ] {
            shorten(text, MAX_MESSAGE);
        }
        described("options", self.options.len())?;
        texts(&mut self.options)
    }
}

impl Cap for Capabilities {
    fn cap(&mut self) -> Result<(), Problem> {
        described("opsets", self.opsets.len())?;
        described("devices", self.devices.len())?;
        described("options", self.options.len())?;
        for device in &mut self.devices {
            shorten(device, MAX_MESSAGE);
        }
        self.opsets
            .keys()
            .chain(&self.operators)
            .try_for_each(|name| named(name))?;
        texts(&mut self.options)
    }
}

impl<V> Cap for BoundedOutputs<V> {
    fn cap(&mut self) -> Result<(), Problem> {
        texts(&mut self.models)?;
        texts(&mut self.unknown)
    }
}

impl Cap for Profile {
    fn cap(&mut self) -> Result<(), Problem> {
        times(self.nanoseconds.iter())?;
        number("steps that are left out", self.omitted, MAX_CALLS)?;
        for step in &mut self.steps {
            shorten(&mut step.name, MAX_MESSAGE);
            shorten(&mut step.operator, MAX_MESSAGE);
            number("calls of a step", step.calls, MAX_CALLS)?;
            let (start, length) = step.slice.unwrap_or_default();
            times([step.nanoseconds, step.median.unwrap_or_default(), start, length].iter())?;
            for output in &mut step.outputs {
                named(&output.name)?;
                shorten(&mut output.dtype, MAX_MESSAGE);
            }
        }
        Ok(())
    }
}

/// A node may be anywhere, but there are only so many devices.
fn cap_placement(placement: &mut [Placement]) -> Result<(), Problem> {
    for placed in placement.iter_mut() {
        shorten(&mut placed.node, MAX_MESSAGE);
        shorten(&mut placed.provider, MAX_MESSAGE);
        if let Some(operator) = &mut placed.operator {
            shorten(operator, MAX_MESSAGE);
        }
    }
    let providers: BTreeSet<&str> = placement.iter().map(|placed| placed.provider.as_str()).collect();
    number("providers", providers.len() as u64, MAX_PROVIDERS as u64)
}

/// The keys are names, the values texts for people.
fn texts(map: &mut BTreeMap<String, String>) -> Result<(), Problem> {
    map.values_mut().for_each(|text| shorten(text, MAX_MESSAGE));
    map.keys().try_for_each(|name| named(name))
}

/// Refuses a name that is too long: a shortened one would be another name.
pub(super) fn named(name: &str) -> Result<(), Problem> {
    if name.len() <= MAX_NAME {
        Ok(())
    } else {
        let mut beginning = name.to_owned();
        shorten(&mut beginning, 200);
        Err(Problem::LongName {
            name: beginning,
            bytes: name.len(),
        })
    }
}

fn described(what: &'static str, count: usize) -> Result<(), Problem> {
    number(what, count as u64, MAX_DESCRIBED as u64)
}

fn time(nanoseconds: u64) -> Result<(), Problem> {
    number("nanoseconds", nanoseconds, MAX_NANOSECONDS)
}

fn times<'t>(mut nanoseconds: impl Iterator<Item = &'t u64>) -> Result<(), Problem> {
    nanoseconds.try_for_each(|&nanoseconds| time(nanoseconds))
}

fn number(what: &'static str, found: u64, max: u64) -> Result<(), Problem> {
    if found <= max {
        Ok(())
    } else {
        Err(Problem::Number { what, found, max })
    }
}

fn digests(sha256: &[String]) -> Result<(), Problem> {
    match sha256.iter().find(|text| !is_sha256(text)) {
        None => Ok(()),
        Some(text) => Err(Problem::Digest {
            blob: "missing".to_owned(),
            sha256: text.chars().take(80).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::protocol::{Frame, ProtocolError, decode_answer, decode_answer_until};

    #[test]
    fn a_text_keeps_its_beginning_and_its_end() {
        for (text, most) in [
            ("x".repeat(2048), 2048),
            ("é".repeat(3000), 2048),
            ("🦀".repeat(900_000), 2048),
            ("ab".to_owned(), 64),
            ("0123456789".repeat(10), 64),
        ] {
            let mut short = text.clone();
            shorten(&mut short, most);
            assert!(short.len() <= most, "{}", short.len());
            if text.len() <= most {
                assert_eq!(short, text);
                continue;
            }
            let (head, rest) = short.split_once(" [").expect("a note");
            let (note, tail) = rest.split_once(" bytes left out] ").expect("a note");
            assert!(text.starts_with(head) && text.ends_with(tail) && !tail.is_empty());
            assert_eq!(
                head.len() + tail.len() + note.parse::<usize>().unwrap(),
                text.len()
            );
        }
    }

    /// Decodes the header of an answer.
    fn decoded(header: &str, payload: Vec<u8>) -> Result<Answer, String> {
        let frame = Frame {
            header: header.as_bytes().to_vec(),
            payload: payload.into(),
        };
        decode_answer(frame)
            .map(|(_, answer)| answer)
            .map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check_refused(header: &str, said: &str) {
        let error = decoded(header, Vec::new()).expect_err(said);
        assert!(error.contains(said) && error.len() < 1000, "{error}");
    }

    #[test]
    fn numbers_names_and_lists_beyond_the_limits_are_refused() {
        let time = 1_u64 << 63;
        for header in [
            format!(r#"{{"id":1,"answer":"loaded","session":1,"nanoseconds":{time}}}"#),
            format!(r#"{{"id":1,"answer":"ran","outputs":[],"nanoseconds":{time}}}"#),
            format!(
                r#"{{"id":1,"answer":"benched","warmup_nanoseconds":[],"nanoseconds":[1,{time}],"first":[],"last":[]}}"#
            ),
            format!(r#"{{"id":1,"answer":"profiled","nanoseconds":[{time}],"steps":[]}}"#),
            format!(
                r#"{{"id":1,"answer":"profiled","nanoseconds":[1],"steps":[{{"name":"a","calls":1,"nanoseconds":1,"slice":[1,{time}]}}]}}"#
            ),
        ] {
            check_refused(
                &header,
                "9223372036854775808 nanoseconds, the limit is 100000000000000",
            );
        }
        check_refused(
            &format!(
                r#"{{"id":1,"answer":"profiled","nanoseconds":[1],"steps":[{{"name":"a","calls":{time},"nanoseconds":1}}]}}"#
            ),
            "calls of a step, the limit is",
        );
        let name = "n".repeat(MAX_NAME + 1);
        check_refused(
            &format!(
                r#"{{"id":1,"answer":"ran","outputs":[{{"name":"{name}","type":"tensor(float)","bytes":0}}],"nanoseconds":1}}"#
            ),
            "has 4097 bytes, the limit is 4096",
        );
        let placed = |at| format!(r#"{{"node":"n","provider":"p{at}"}}"#);
        let placement: Vec<String> = (0..=MAX_PROVIDERS).map(placed).collect();
        check_refused(
            &format!(
                r#"{{"id":1,"answer":"placed","placement":[{}]}}"#,
                placement.join(",")
            ),
            "65 providers, the limit is 64",
        );
        check_refused(
            r#"{"id":1,"answer":"missing","sha256":["x"]}"#,
            "expected a SHA-256",
        );
    }

    #[test]
    fn long_texts_are_shortened() {
        let long = "x".repeat(900_000);
        let header = format!(r#"{{"id":1,"answer":"failed","error":{{"kind":"run","message":"{long}"}}}}"#);
        let Ok(Answer::Failed { error }) = decoded(&header, Vec::new()) else {
            panic!("an error");
        };
        assert!(error.to_string().len() < MAX_MESSAGE + 20 && error.to_string().contains("bytes left out"));
        let header = format!(
            r#"{{"id":1,"answer":"hello","version":1,"backend":{{"name":"{long}","version":"1","options":{{"a":"{long}"}}}}}}"#
        );
        // A header has at most 1 MiB on the channel; here only its texts count.
        let Ok(Answer::Hello(hello)) = decoded(&header, Vec::new()) else {
            panic!("a description");
        };
        assert!(hello.backend.name.len() <= MAX_MESSAGE && hello.backend.options["a"].len() <= MAX_MESSAGE);
    }

    /// A tensor of so many empty strings: TensorProto with the fields dims, data_type and string_data.
    fn empty_strings(count: u64) -> Vec<u8> {
        let mut bytes = vec![0x08];
        let mut rest = count;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.extend([rest as u8, 0x10, 8]);
        bytes.extend([0x32, 0].repeat(count as usize));
        bytes
    }

    /// The answer with so many values, each a tensor of `count` empty strings.
    fn strings(values: usize, count: u64, deadline: Option<Instant>) -> Result<Answer, ProtocolError> {
        let value = empty_strings(count);
        let blob = format!(
            r#"{{"name":"y","type":"tensor(string)","bytes":{}}}"#,
            value.len()
        );
        let blobs = vec![blob; values].join(",");
        let frame = Frame {
            header: format!(r#"{{"id":1,"answer":"ran","outputs":[{blobs}],"nanoseconds":1}}"#).into_bytes(),
            payload: value.repeat(values).into(),
        };
        decode_answer_until(frame, deadline).map(|(_, answer)| answer)
    }

    #[test]
    fn many_empty_strings_are_refused_before_they_are_allocated() {
        assert!(strings(1, 1_000_000, None).is_ok());
        for (values, count) in [(1, 50_000_000), (60, 1_000_000)] {
            let error = strings(values, count, None).expect_err("too many").to_string();
            assert!(error.contains("bytes of memory for messages"), "{error}");
        }
    }

    #[test]
    fn no_value_is_decoded_after_the_deadline() {
        let error = strings(2, 10, Some(Instant::now())).expect_err("late");
        assert!(
            matches!(
                error,
                ProtocolError::Malformed {
                    problem: Problem::Late,
                    ..
                }
            ),
            "{error}"
        );
    }
}
