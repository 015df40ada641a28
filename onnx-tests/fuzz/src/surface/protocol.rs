//! The messages between a worker and the harness.

use backend_api::protocol::{
    Answer, Benched, Frame, Load, Payload, Ran, Request, decode_answer, decode_request, encode_answer,
    encode_request,
};
use backend_api::{Profile, Step};
use mutatis::{Candidates, Mutate, Result};

use backend_api::protocol::caps::MAX_NANOSECONDS;
use reports::render;
use run_record::profile::{BackendProfile, ProfiledStep};

use super::{Blob, Budget, Text, run};

/// Requests and answers that contain models and values.
fn frames() -> std::result::Result<Vec<Frame>, String> {
    let cases = harness_corpus::own::cases().map_err(|error| error.to_string())?;
    let mut frames = Vec::new();
    let mut put = |frame: std::result::Result<Frame, backend_api::protocol::ProtocolError>| {
        frame
            .map(|frame| frames.push(frame))
            .map_err(|error| error.to_string())
    };
    put(encode_request(
        1,
        Request::Hello {
            versions: vec![1],
            harness: "fuzz".to_owned(),
            store: true,
        },
    ))?;
    put(encode_request(2, Request::Capabilities))?;
    put(encode_answer(3, Answer::Unloaded))?;
    for case in cases.into_iter().step_by(7) {
        let load = Load {
            model: case.model.encode().into(),
            inputs: case.inputs.clone(),
            ..Load::default()
        };
        put(encode_request(4, Request::Load(load)))?;
        put(encode_request(
            5,
            Request::Run {
                session: 1,
                inputs: case.inputs,
                outputs: None,
            },
        ))?;
        put(encode_answer(
            6,
            Answer::Ran(Ran {
                outputs: case.outputs,
                nanoseconds: 1,
            }),
        ))?;
    }
    Ok(frames)
}

/// Bytes on the channel: read as frames until they end, and each frame as a request and as an answer.
pub fn frame(budget: Budget) -> std::result::Result<(), String> {
    let mut sound = Vec::new();
    for frame in frames()? {
        let mut bytes = Vec::new();
        frame.write(&mut bytes).map_err(|error| error.to_string())?;
        sound.push(bytes);
    }
    run(budget, Blob, sound, |bytes: &Vec<u8>| {
        let mut rest = bytes.as_slice();
        while let Ok(Some(frame)) = Frame::read(&mut rest) {
            read(frame);
        }
        Ok(())
    })
}

/// Separate headers and payloads, so that a changed length of one does not hide the other.
pub fn message(budget: Budget) -> std::result::Result<(), String> {
    let sound = frames()?
        .into_iter()
        .map(|frame| (frame.header, frame.payload.into_bytes().to_vec()))
        .collect();
    run(
        budget,
        Message,
        sound,
        |(header, payload): &(Vec<u8>, Vec<u8>)| {
            // In one piece, and in several pieces like a long payload.
            for size in [payload.len(), 7] {
                let mut pieces = Payload::default();
                let cut = payload.chunks(size.max(1));
                cut.for_each(|piece| pieces.push(piece.to_vec().into()));
                read(Frame {
                    header: header.clone(),
                    payload: pieces,
                });
            }
            Ok(())
        },
    )
}

/// The header of an answer with a profile or with times of a bench. What is accepted keeps the limits, and
/// the report on it is written.
pub fn measurements(budget: Budget) -> std::result::Result<(), String> {
    let step = |name: &str| Step {
        name: name.to_owned(),
        operator: "Conv".to_owned(),
        calls: 2,
        nanoseconds: 1000,
        median: Some(400),
        slice: Some((10, 500)),
        ..Step::default()
    };
    let profile = Profile {
        nanoseconds: vec![1000, 1200],
        steps: vec![step("a"), step("b")],
        omitted: 1,
    };
    let benched = Benched {
        warmup_nanoseconds: vec![5],
        nanoseconds: vec![1000, 1200, 1100],
        first: Vec::new(),
        last: Vec::new(),
    };
    let mut sound = Vec::new();
    for answer in [Answer::Profiled(profile), Answer::Benched(benched)] {
        let frame = encode_answer(1, answer).map_err(|error| error.to_string())?;
        sound.push(String::from_utf8(frame.header).map_err(|error| error.to_string())?);
    }
    run(budget, Text, sound, |header: &String| {
        let frame = Frame {
            header: header.clone().into_bytes(),
            payload: Payload::default(),
        };
        let times = match decode_answer(frame) {
            Ok((_, Answer::Profiled(profile))) => written(profile)?,
            Ok((_, Answer::Benched(benched))) => [benched.warmup_nanoseconds, benched.nanoseconds].concat(),
            Ok(_) | Err(_) => return Ok(()),
        };
        if times.iter().all(|time| *time <= MAX_NANOSECONDS) {
            Ok(())
        } else {
            Err(format!("times beyond the limit: {times:?}"))
        }
    })
}

/// Writes every report on a profile, and returns its times.
fn written(profile: Profile) -> std::result::Result<Vec<u64>, String> {
    let runs = profile.nanoseconds.len().max(1) as f64;
    let step = |step: &Step| ProfiledStep {
        name: step.name.clone(),
        operator: step.operator.clone(),
        calls: step.calls as f64 / runs,
        own_ns: step.nanoseconds as f64 / runs,
        slice: step.slice,
        ..ProfiledStep::default()
    };
    let backend = BackendProfile {
        name: "b".to_owned(),
        runs_ns: profile.nanoseconds.clone(),
        steps: profile.steps.iter().map(step).collect(),
        omitted: profile.omitted,
        ..BackendProfile::default()
    };
    let report = run_record::profile::Profile {
        backends: vec![backend],
        ..run_record::profile::Profile::default()
    };
    for renderer in [render::profile_html, render::profile_csv, render::profile_trace] {
        renderer(&report).map_err(|error| error.to_string())?;
    }
    Ok(profile.nanoseconds)
}

/// Changes the header or the payload.
struct Message;

impl Mutate<(Vec<u8>, Vec<u8>)> for Message {
    fn mutate(&mut self, candidates: &mut Candidates, value: &mut (Vec<u8>, Vec<u8>)) -> Result<()> {
        Blob.mutate(candidates, &mut value.0)?;
        Blob.mutate(candidates, &mut value.1)
    }
}

fn read(frame: Frame) {
    drop(decode_request(frame.clone()));
    drop(decode_answer(frame));
}
