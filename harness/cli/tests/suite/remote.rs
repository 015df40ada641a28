//! Workers on another machine: behind a local `sshd` if it is installed, and always behind a program
//! that substitutes for `ssh`.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::program::{self, MOCK, Place, ended, until};
use run_record::VerdictKind;

/// Arguments of a run that needs only the worker.
pub const RUN: &str = "conformance --no-bounds --noise 0 --cases cases --out out";

/// A program `ssh` that runs the command locally, in a shell like `sshd`.
const FAKE: &str = "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n";

/// Runs cases by a worker behind `ssh`; the first program in `folder` is used as `ssh`.
fn run_by_ssh(place: &Place, folder: &Path, target: &str) -> program::Ended {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = place.command(&format!(
        "{RUN} --jobs 2 --backend 'far=ssh:{target}:{MOCK} slow 0'"
    ));
    ended(command.env("PATH", format!("{}:{path}", folder.display())))
}

pub fn fake_ssh(place: &Place, script: &str) -> PathBuf {
    fake(place, "ssh", script)
}

/// Writes a program; returns its folder.
pub fn fake(place: &Place, program: &str, script: &str) -> PathBuf {
    let folder = place.at("bin");
    fs::create_dir_all(&folder).unwrap();
    // Written with another name: a file that is open for writing cannot be executed.
    fs::write(folder.join("new"), script).unwrap();
    fs::set_permissions(folder.join("new"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(folder.join("new"), folder.join(program)).unwrap();
    folder
}

#[track_caller]
pub fn verdicts(place: &Place) -> Vec<(String, VerdictKind)> {
    let report = place.report("out");
    let mut verdicts: Vec<_> = report
        .cases
        .iter()
        .map(|record| (record.case.clone(), record.verdict.kind()))
        .collect();
    verdicts.sort();
    verdicts
}

#[test]
fn a_worker_behind_ssh_is_a_worker() {
    let place = Place::with_cases(&[
        ("crash", "run:abort"),
        ("good", "healthy"),
        ("wrong", "run:wrong-shape"),
    ]);
    let ended = run_by_ssh(&place, &fake_ssh(&place, FAKE), "host");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(
        verdicts(&place),
        [
            ("local/cases/crash".to_owned(), VerdictKind::Crash),
            ("local/cases/good".to_owned(), VerdictKind::Pass),
            ("local/cases/wrong".to_owned(), VerdictKind::Mismatch),
        ]
    );
}

#[test]
fn a_host_that_cannot_be_reached_is_a_missing_backend() {
    let place = Place::with_cases(&[("good", "healthy")]);
    let script = "#!/bin/sh\necho 'ssh: connect to host: no route' >&2\nexit 255\n";
    let ended = run_by_ssh(&place, &fake_ssh(&place, script), "host");
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("the connection broke: `ssh` exited with code 255"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("no route"), "{}", ended.stderr);
}

#[test]
fn a_broken_connection_gives_no_verdict() {
    let place = Place::with_cases(&[("a", "healthy"), ("b", "run:exit-255"), ("c", "healthy")]);
    let ended = run_by_ssh(&place, &fake_ssh(&place, FAKE), "host");
    assert_eq!(ended.code, Some(5), "{}", ended.stderr);
    let verdict = |name: &str| {
        let name = format!("local/cases/{name}");
        verdicts(&place)
            .into_iter()
            .find(|(case, _)| *case == name)
            .map(|(_, verdict)| verdict)
    };
    assert_eq!(
        ["a", "b", "c"].map(verdict),
        [
            Some(VerdictKind::Pass),
            Some(VerdictKind::NotRun),
            Some(VerdictKind::Pass)
        ]
    );
}

#[test]
fn a_text_without_a_command_is_a_usage_error() {
    let place = Place::with_cases(&[("a", "healthy")]);
    for text in ["ssh:host", "docker:image", "kubectl::worker", "adb:serial:"] {
        let ended = place.run(&format!("{RUN} --backend {text}"));
        assert_eq!(ended.code, Some(2), "{text}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("TARGET:COMMAND"),
            "{text}: {}",
            ended.stderr
        );
    }
}

/// A server with its own keys, on a local port.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    /// Starts `sshd`; `None` if it is not installed.
    fn start(folder: &Path) -> Option<Server> {
        Server::start_with(folder, "")
    }

    /// Starts `sshd` with further settings.
    pub fn start_with(folder: &Path, further: &str) -> Option<Server> {
        let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"]
            .into_iter()
            .find(|path| Path::new(path).is_file())?;
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(folder.join(key))
                .status();
            assert!(made.is_ok_and(|status| status.success()), "a key");
        }
        fs::copy(folder.join("user.pub"), folder.join("authorized_keys")).unwrap();
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let at = folder.display();
        let settings = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nAuthorizedKeysFile {at}/authorized_keys\nPidFile none\n\
             StrictModes no\nUsePAM no\nPermitRootLogin yes\n{further}"
        );
        fs::write(folder.join("sshd_config"), settings).unwrap();
        // It needs this folder, which the start script of its package creates.
        let _ = fs::create_dir_all("/run/sshd");
        let child = Command::new(program)
            .args(["-D", "-e", "-f"])
            .arg(folder.join("sshd_config"))
            .stdin(Stdio::null())
            .stderr(fs::File::create(folder.join("sshd.log")).unwrap())
            .spawn()
            .unwrap();
        let server = Server { child, port };
        until("sshd answers", || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()
        });
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program `ssh` that calls the real one with the server's keys.
pub fn real_ssh(place: &Place) -> PathBuf {
    let ssh = ["/usr/bin/ssh", "/usr/local/bin/ssh"]
        .into_iter()
        .find(|path| Path::new(path).is_file());
    let at = place.at("").display().to_string();
    let script = format!(
        "#!/bin/sh\nexec {} -F none -i {at}/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \"$@\"\n",
        ssh.expect("ssh is where sshd is")
    );
    fake_ssh(place, &script)
}

#[test]
fn a_real_server_runs_workers() {
    let place = Place::with_cases(&[("crash", "run:abort"), ("good", "healthy"), ("hang", "run:hang")]);
    let Some(server) = Server::start(&place.at("")) else {
        eprintln!("no sshd on this machine: only the substitute for ssh is tested");
        return;
    };
    let target = format!("127.0.0.1:{}", server.port);
    let path = format!(
        "{}:{}",
        real_ssh(&place).display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let run = format!("{RUN} --jobs 2 --timeout 2 --backend 'far=ssh:{target}:{MOCK} slow 0'");
    let first = ended(place.command(&run).env("PATH", &path));
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let kinds: Vec<VerdictKind> = verdicts(&place).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(
        kinds,
        [VerdictKind::Crash, VerdictKind::Pass, VerdictKind::Timeout]
    );

    // Without the server no worker can be started.
    drop(server);
    let second = ended(place.command(&run).env("PATH", &path));
    assert_eq!(second.code, Some(6), "{}", second.stderr);
    assert!(
        second.stderr.contains("the connection broke"),
        "{}",
        second.stderr
    );
}

/// Runs cases by a worker that is sent to the other machine, whose cache folder is `far` in the place.
fn run_sent(place: &Place, folder: &Path, target: &str) -> program::Ended {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = place.command(&format!(
        "{RUN} --jobs 2 --backend 'far=ssh:{target}:@{MOCK} slow 0'"
    ));
    ended(
        command
            .env("PATH", format!("{}:{path}", folder.display()))
            .env("XDG_CACHE_HOME", place.at("far")),
    )
}

/// The files that were sent to the other machine.
fn sent(place: &Place) -> Vec<PathBuf> {
    let folders = fs::read_dir(place.at("far/onnx-conformance/files"))
        .into_iter()
        .flatten();
    let files = folders
        .flatten()
        .flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten());
    files.flatten().map(|file| file.path()).collect()
}

/// A script for `ssh` that ends in the middle of a transfer, or else runs `whole`.
fn breaking(whole: &str) -> String {
    format!(
        "#!/bin/sh\nfor last; do :; done\ncase \"$last\" in *'cat > '*) head -c 100000 | {whole}; exit 255;; esac\nexec {whole}\n"
    )
}

#[track_caller]
fn assert_sent_once(place: &Place, folder: &Path, target: &str) {
    let first = run_sent(place, folder, target);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert_eq!(first.stderr.matches("sending ").count(), 1, "{}", first.stderr);
    let files = sent(place);
    let [file] = files.as_slice() else {
        panic!("{files:?}")
    };
    assert_eq!(fs::read(file).unwrap(), fs::read(MOCK).unwrap());
    let again = run_sent(place, folder, target);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(!again.stderr.contains("sending "), "{}", again.stderr);
    // A damaged file is sent again.
    fs::write(file, "damaged").unwrap();
    let repaired = run_sent(place, folder, target);
    assert_eq!(repaired.code, Some(0), "{}", repaired.stderr);
    assert!(repaired.stderr.contains("sending "), "{}", repaired.stderr);
}

#[test]
fn a_worker_is_sent_once_and_found_again_by_its_digest() {
    let place = Place::with_cases(&[("good", "healthy")]);
    assert_sent_once(&place, &fake_ssh(&place, FAKE), "host");
}

#[test]
fn a_broken_transfer_leaves_nothing_and_is_repeated() {
    let place = Place::with_cases(&[("good", "healthy")]);
    let folder = fake_ssh(&place, &breaking("sh -c \"$last\""));
    let broken = run_sent(&place, &folder, "host");
    assert_eq!(broken.code, Some(6), "{}", broken.stderr);
    assert!(
        broken.stderr.contains("the file did not arrive whole"),
        "{}",
        broken.stderr
    );
    assert!(sent(&place).is_empty(), "{:?}", sent(&place));
    assert_sent_once(&place, &fake_ssh(&place, FAKE), "host");
}

#[test]
fn a_file_that_cannot_be_sent_is_one_clear_line() {
    let place = Place::with_cases(&[("good", "healthy")]);
    let folder = fake_ssh(&place, "#!/bin/sh\necho 'no route to host' >&2\nexit 255\n");
    let path = format!(
        "{}:{}",
        folder.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    for (backend, said) in [
        (format!("far=ssh:host:@{MOCK}"), "by `ssh`: no route to host"),
        ("far=ssh:host:@nowhere".to_owned(), "cannot read `nowhere`"),
        (
            "far=ssh:host:./worker --library=@nowhere".to_owned(),
            "cannot read `nowhere`",
        ),
    ] {
        let ended = ended(
            place
                .command(&format!("{RUN} --backend '{backend}'"))
                .env("PATH", &path),
        );
        assert_eq!(ended.code, Some(6), "{}", ended.stderr);
        let lines = ended.stderr.lines().filter(|line| line.contains(said));
        assert_eq!(lines.count(), 1, "{backend}: {}", ended.stderr);
    }
}

#[test]
fn a_real_server_gets_a_worker_once() {
    let place = Place::with_cases(&[("good", "healthy")]);
    let cache = format!("SetEnv XDG_CACHE_HOME={}\n", place.at("far").display());
    let Some(server) = Server::start_with(&place.at(""), &cache) else {
        eprintln!("no sshd on this machine: only the substitute for ssh is tested");
        return;
    };
    let target = format!("127.0.0.1:{}", server.port);
    let real = fs::read_to_string(real_ssh(&place).join("ssh")).unwrap();
    let command = real
        .lines()
        .nth(1)
        .and_then(|line| line.strip_prefix("exec "))
        .unwrap();
    let broken = run_sent(&place, &fake_ssh(&place, &breaking(command)), &target);
    assert_eq!(broken.code, Some(6), "{}", broken.stderr);
    assert!(sent(&place).is_empty(), "{:?}", sent(&place));
    assert_sent_once(&place, &real_ssh(&place), &target);
}
