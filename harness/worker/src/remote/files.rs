//! Files of this machine for a worker on another one: each is sent once and found again by its digest.
//!
//! A word `@FILE` of the command, or `--flag=@FILE`, is a file of this machine. On the other machine it
//! lies in a folder named by its SHA-256 below a cache folder, and the word becomes its path there. A file
//! that is there with this digest is not sent again. A container of `docker run` gets the file as a
//! read-only volume. `@@x` is the word `@x`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use harness_corpus::Sha256;

use super::{Launcher, Place, quoted};
use crate::WorkerSpec;

/// The time limit for a question to the other machine.
const ASKING: Duration = Duration::from_secs(30);

/// The slowest accepted connection, in bytes per second.
const SLOWEST: u64 = 50_000;

/// The polling interval for the end of a process.
const STEP: Duration = Duration::from_millis(10);

/// Why a file of this machine is not on the other one.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The connection failed, or the other machine cannot store the file.
    #[error("cannot send `{}` by `{program}`: {reason}", path.display())]
    Send {
        path: PathBuf,
        /// The program that connects.
        program: &'static str,
        /// The last line that it wrote, or how it ended.
        reason: String,
    },
}

/// A file of this machine.
struct Sent<'s> {
    path: &'s Path,
    name: String,
    digest: String,
    size: u64,
}

/// Sends the files that the command of `spec` names, where they are missing, and replaces their words by
/// the paths on the other machine. `told` is called with the path and size of each file that is sent.
pub(crate) fn send(spec: &mut WorkerSpec, mut told: impl FnMut(&Path, u64)) -> Result<(), SendError> {
    let Some(mut launcher) = spec.launcher.take() else {
        return Ok(());
    };
    let command = spec.command.display().to_string();
    let mut words: Vec<String> = vec![command];
    words.append(&mut spec.args);
    for word in &mut words {
        if let Some(replaced) = replaced(word, &mut launcher, &mut told)? {
            *word = replaced;
        }
    }
    let mut words = words.into_iter();
    spec.command = words.next().unwrap_or_default().into();
    spec.args = words.collect();
    spec.launcher = Some(launcher);
    Ok(())
}

/// The word for the other machine, if this word names a file.
fn replaced(
    word: &str,
    launcher: &mut Launcher,
    told: &mut impl FnMut(&Path, u64),
) -> Result<Option<String>, SendError> {
    let (before, file) = match word.split_once("=@") {
        Some((flag, file)) if word.starts_with('-') => (format!("{flag}="), file),
        _ => match word.strip_prefix('@') {
            Some(file) => (String::new(), file),
            None => return Ok(None),
        },
    };
    if file.starts_with('@') {
        return Ok(Some(format!("{before}{file}")));
    }
    let path = Path::new(file);
    let sent = Sent::of(path).map_err(|source| SendError::Read {
        path: path.to_owned(),
        source,
    })?;
    let there = match launcher.place {
        Place::Volume => sent.mount(launcher)?,
        Place::Folder(base) => sent.place(launcher, base, told)?,
    };
    Ok(Some(format!("{before}{there}")))
}

impl Sent<'_> {
    fn of(path: &Path) -> io::Result<Sent<'_>> {
        let mut file = File::open(path)?;
        let name = path.file_name().unwrap_or_default();
        Ok(Sent {
            path,
            name: name.to_string_lossy().into_owned(),
            digest: Sha256::of_reader(&mut file)?.to_string(),
            size: file.metadata()?.len(),
        })
    }

    fn failed(&self, launcher: &Launcher, reason: impl ToString) -> SendError {
        SendError::Send {
            path: self.path.to_owned(),
            program: launcher.program,
            reason: reason.to_string(),
        }
    }

    /// Adds the file to the volumes of a container. The image stays the last argument.
    fn mount(&self, launcher: &mut Launcher) -> Result<String, SendError> {
        let here = self
            .path
            .canonicalize()
            .map_err(|error| self.failed(launcher, error))?;
        let there = format!("/onnx-conformance/{}/{}", self.digest, self.name);
        let volume = format!(
            "type=bind,{},{},readonly",
            field("source", &here.display().to_string()),
            field("target", &there)
        );
        let image = launcher.args.len().saturating_sub(1);
        launcher.args.splice(image..image, ["--mount".to_owned(), volume]);
        Ok(there)
    }

    /// Stores the file in the cache folder of the other machine, unless it is there; returns its path.
    fn place(
        &self,
        launcher: &Launcher,
        base: &str,
        told: &mut impl FnMut(&Path, u64),
    ) -> Result<String, SendError> {
        let names = format!(
            "d=\"{base}\"/{digest}; f=\"$d\"/{name}; s={digest}; ",
            digest = self.digest,
            name = quoted(&self.name)
        );
        let sum = "\"$(sha256sum < \"$p\" 2>/dev/null | cut -c1-64)\" = \"$s\"";
        let ask = format!(
            "{names}p=\"$f\"; if [ -f \"$f\" ] && [ {sum} ]; then echo \"have $f\"; else echo \"need $f\"; fi"
        );
        let answer = self.run(launcher, &ask, None)?;
        if let Some(there) = line(&answer, "have ") {
            return Ok(there);
        }
        told(self.path, self.size);
        let store = format!(
            "{names}p=\"$f.$$\"; if mkdir -p \"$d\" && cat > \"$p\" && [ {sum} ] && chmod 755 \"$p\" && mv -f \"$p\" \"$f\"; \
             then echo \"have $f\"; else rm -f \"$p\"; echo 'the file did not arrive whole' >&2; exit 1; fi"
        );
        let file = File::open(self.path).map_err(|source| SendError::Read {
            path: self.path.to_owned(),
            source,
        })?;
        let answer = self.run(launcher, &store, Some(file))?;
        line(&answer, "have ").ok_or_else(|| self.failed(launcher, "it is not there after it was sent"))
    }

    /// Runs a script on the other machine and returns what it prints.
    fn run(&self, launcher: &Launcher, script: &str, input: Option<File>) -> Result<String, SendError> {
        let words = ["sh", "-c", script].map(str::to_owned);
        let limit = match input {
            Some(_) => ASKING + Duration::from_secs(self.size / SLOWEST),
            None => ASKING,
        };
        let mut child = Command::new(launcher.program)
            .args(launcher.arguments(&words))
            .stdin(input.map_or_else(Stdio::null, Stdio::from))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.failed(launcher, error))?;
        let (out, errors) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let deadline = Instant::now() + limit;
        let status = loop {
            match child.try_wait().map_err(|error| self.failed(launcher, error))? {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(self.failed(launcher, format!("no answer within {} s", limit.as_secs())));
                }
                None => thread::sleep(STEP),
            }
        };
        let text = |reader: thread::JoinHandle<String>| reader.join().unwrap_or_default();
        let (out, errors) = (text(out), text(errors));
        match (
            status.success(),
            errors.lines().rfind(|line| !line.trim().is_empty()),
        ) {
            (true, _) => Ok(out),
            (false, Some(line)) => Err(self.failed(launcher, line)),
            (false, None) => Err(self.failed(launcher, status)),
        }
    }
}

/// A field of `docker run --mount`, which is a line of comma-separated values (RFC 4180).
fn field(key: &str, value: &str) -> String {
    if value.contains([',', '"', '\n', '\r']) {
        format!("\"{key}={}\"", value.replace('"', "\"\""))
    } else {
        format!("{key}={value}")
    }
}

/// The rest of the last line with this beginning: the other machine may print a greeting.
fn line(answer: &str, beginning: &str) -> Option<String> {
    answer
        .lines()
        .rev()
        .find_map(|line| line.trim_end().strip_prefix(beginning))
        .map(str::to_owned)
}

/// The maximum number of bytes that are kept of what a program prints.
const MAX_PRINTED: u64 = 64 << 10;

/// Reads a pipe in a thread.
fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = (&mut pipe).take(MAX_PRINTED).read_to_end(&mut text);
            // A program that prints more is not blocked.
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
        String::from_utf8_lossy(&text).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a worker after its files are in place.
    fn words(text: &str) -> Result<Vec<String>, SendError> {
        let mut spec = WorkerSpec::parse(text).expect("a worker");
        send(&mut spec, |_, _| {})?;
        Ok(spec.command_line().1)
    }

    #[test]
    fn a_container_gets_a_file_as_a_volume() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().canonicalize().expect("a path").join("my-worker");
        std::fs::write(&here, "hi").expect("a file");
        // The digest of these two bytes, by sha256sum.
        let there =
            "/onnx-conformance/8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4/my-worker";
        let here = here.display();
        let found =
            words(&format!("docker:image:1.2:@{here} --library=@{here} @@x a@b")).expect("it is there");
        let mount = format!("type=bind,source={here},target={there},readonly");
        let library = format!("--library={there}");
        let expected = [
            "run",
            "--interactive",
            "--rm",
            "--volume",
            "onnx-conformance-store:/onnx-conformance/store",
            "--env",
            "ONNX_CONFORMANCE_STORE=/onnx-conformance/store",
            "--mount",
            &mount,
            "--mount",
            &mount,
            "image:1.2",
            there,
            &library,
            "@x",
            "a@b",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_name_does_not_alter_the_mount() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().canonicalize().expect("a path");
        for name in ["w,readonly=false", "a\"b", "w,source=etc"] {
            let file = here.join(name);
            std::fs::write(&file, "hi").expect("a file");
            let word = shlex::try_quote(file.to_str().expect("UTF-8")).expect("a word");
            let found = words(&format!("docker:image:@{word}")).expect("it is there");
            let at = found.iter().position(|word| word == "--mount").expect("a mount");
            let mut reader = csv::ReaderBuilder::new();
            let mut reader = reader.has_headers(false).from_reader(found[at + 1].as_bytes());
            let fields: Vec<csv::StringRecord> =
                reader.records().map(|record| record.expect("fields")).collect();
            assert_eq!(fields.len(), 1);
            let source = format!("source={}", file.display());
            assert_eq!((fields[0].len(), &fields[0][1]), (4, source.as_str()));
            assert!(fields[0][2].starts_with("target=/onnx-conformance/") && fields[0][2].ends_with(name));
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        let error = words("docker:image:@/nowhere/worker")
            .expect_err("no file")
            .to_string();
        assert!(error.starts_with("cannot read `/nowhere/worker`: "), "{error}");
    }
}
