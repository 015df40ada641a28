//! The role of a plug-in in Rust: a backend behind `backend_api::serve` that prints to stdout and
//! panics.

use std::io::{Write, stdout};
use std::process::ExitCode;

use backend_api::{Backend, BackendError, Description, LoadRequest, Named, Session};

struct Chatty;

impl Backend for Chatty {
    fn describe(&self) -> Description {
        Description {
            name: "chatty".to_owned(),
            ..Description::default()
        }
    }

    fn load(&mut self, _model: LoadRequest) -> Result<Box<dyn Session>, BackendError> {
        stdout()
            .write_all(&b"loading ...\n".repeat(10_000))
            .map_err(BackendError::load)?;
        Ok(Box::new(Chatty))
    }
}

impl Session for Chatty {
    fn run(&mut self, inputs: &[Named]) -> Result<Vec<Named>, BackendError> {
        assert!(!inputs.is_empty(), "no input to echo");
        // With the output name of the models in the tests.
        let renamed = |(_, value): &Named| ("y".to_owned(), value.clone());
        Ok(inputs.iter().map(renamed).collect())
    }
}

/// Serves until the channel ends, or until a run without inputs.
pub(crate) fn act_as_plug_in() -> ExitCode {
    backend_api::serve(|mut options| {
        options.take::<u32>("threads", "a number of threads")?;
        options.finish().map(|()| Chatty)
    })
}
