//! Encodes messages with their values as frames, and decodes them.

use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::blob::{AnswerLimits, PayloadReader, PayloadWriter};
use super::caps::Cap;
use super::error::Problem;
use super::part::{Library, Sending};
use super::{Answer, Frame, ProtocolError, Request, WireAnswer, WireRequest};

/// The header of a frame: a message with its id.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Header<T> {
    /// The number of a request, which its answer repeats.
    id: u64,
    #[serde(flatten)]
    message: T,
}

/// The fields of every header, also of a later version.
#[derive(Deserialize)]
struct Envelope {
    id: u64,
    #[serde(rename = "request", alias = "answer")]
    message: String,
}

/// Encodes a request; its answer repeats the id.
pub fn encode_request(id: u64, request: Request) -> Result<Frame, ProtocolError> {
    encode_request_with(id, request, Sending::All)
}

/// Encodes a request for a worker with a store: `sending` says which bytes are sent.
pub fn encode_request_with(id: u64, request: Request, sending: Sending) -> Result<Frame, ProtocolError> {
    let message = request.name();
    let mut payload = PayloadWriter {
        sending,
        ..PayloadWriter::default()
    };
    request
        .convert(&mut payload)
        .and_then(|wire| frame(id, wire, payload))
        .map_err(|problem| ProtocolError::Unwritable { message, problem })
}

/// Encodes an answer with the id of its request.
pub fn encode_answer(id: u64, answer: Answer) -> Result<Frame, ProtocolError> {
    let message = answer.name();
    let mut payload = PayloadWriter::default();
    answer
        .convert(&mut payload)
        .and_then(|wire| frame(id, wire, payload))
        .map_err(|problem| ProtocolError::Unwritable { message, problem })
}

/// Decodes a request and its id, in a worker without a store. The frame is freed as its values are decoded.
pub fn decode_request(frame: Frame) -> Result<(u64, Request), ProtocolError> {
    decode_request_with(frame, None)
}

/// Decodes a request and its id. Bytes that the header names by digest are taken from `store`.
///
/// # Errors
/// [`ProtocolError::Missing`] with the digests that the store does not have, after the other bytes are kept.
pub fn decode_request_with(
    frame: Frame,
    store: Option<&mut dyn Library>,
) -> Result<(u64, Request), ProtocolError> {
    let (envelope, wire) = header::<WireRequest>(&frame, WireRequest::NAMES)?;
    let mut payload = PayloadReader::new(frame.payload, store);
    let request = wire
        .convert(&mut payload)
        .and_then(|request| payload.finish().map(|()| request));
    if request.is_ok() && !payload.missing.is_empty() {
        return Err(ProtocolError::Missing {
            id: envelope.id,
            sha256: payload.missing,
        });
    }
    request
        .map(|request| (envelope.id, request))
        .map_err(|problem| malformed(envelope, problem))
}

/// Decodes an answer and its id. The frame is freed as its values are decoded. Texts for people are
/// shortened.
///
/// # Errors
/// The answer is invalid, or exceeds the limits of [`super::caps`].
pub fn decode_answer(frame: Frame) -> Result<(u64, Answer), ProtocolError> {
    decode_answer_until(frame, None)
}

/// Like [`decode_answer`], and decodes no further value after the deadline.
///
/// # Errors
/// As for [`decode_answer`]; [`Problem::Late`] after the deadline.
pub fn decode_answer_until(frame: Frame, deadline: Option<Instant>) -> Result<(u64, Answer), ProtocolError> {
    let (envelope, mut wire) = header::<WireAnswer>(&frame, WireAnswer::NAMES)?;
    let mut payload = PayloadReader::of_answer(frame.payload, AnswerLimits::until(deadline));
    let answer = wire
        .cap()
        .and_then(|()| wire.convert(&mut payload))
        .and_then(|answer| payload.finish().map(|()| answer));
    answer
        .map(|answer| (envelope.id, answer))
        .map_err(|problem| malformed(envelope, problem))
}

fn frame(id: u64, message: impl Serialize, payload: PayloadWriter) -> Result<Frame, Problem> {
    let frame = Frame {
        header: serde_json::to_vec(&Header { id, message })?,
        payload: payload.payload,
    };
    // A frame that is too long is refused here, before a part of it is written to the channel.
    frame.prelude()?;
    Ok(frame)
}

/// Decodes in two steps, so that an unknown message of a later version has an id and can be answered.
fn header<T: DeserializeOwned>(frame: &Frame, names: &[&str]) -> Result<(Envelope, T), ProtocolError> {
    let envelope: Envelope = serde_json::from_slice(&frame.header).map_err(ProtocolError::Header)?;
    if !names.contains(&envelope.message.as_str()) {
        return Err(ProtocolError::UnknownMessage {
            id: envelope.id,
            message: envelope.message,
        });
    }
    match serde_json::from_slice::<Header<T>>(&frame.header) {
        Ok(header) => Ok((envelope, header.message)),
        Err(error) => Err(malformed(envelope, error.into())),
    }
}

fn malformed(Envelope { id, message }: Envelope, problem: Problem) -> ProtocolError {
    ProtocolError::Malformed { id, message, problem }
}
