//! The cache after successful, failed, wrong and concurrent downloads.

use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use harness_corpus::{CorpusError, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::super::artifact::WheelTags;
use super::super::download::DownloadError;
use super::*;

const GOOD: &[u8] = b"the bytes of a wheel";

/// Writes `bytes` as `name` and counts its calls.
#[derive(Clone)]
struct Fake {
    name: &'static str,
    bytes: Vec<u8>,
    downloads: Arc<AtomicUsize>,
    /// Does not finish before it receives a message.
    until: Option<Arc<Mutex<Receiver<()>>>>,
}

impl Fake {
    fn new(bytes: &[u8]) -> Self {
        Self {
            name: "a-1.whl",
            bytes: bytes.to_vec(),
            downloads: Arc::default(),
            until: None,
        }
    }

    fn count(&self) -> usize {
        self.downloads.load(Ordering::SeqCst)
    }
}

impl Downloader for Fake {
    fn download(&self, _: &Artifact, into: &Path) -> Result<(), DownloadError> {
        self.downloads.fetch_add(1, Ordering::SeqCst);
        if let Some(until) = &self.until {
            until
                .lock()
                .unwrap()
                .recv_timeout(Duration::from_secs(60))
                .unwrap();
        }
        fs::write(into.join(self.name), &self.bytes).unwrap();
        Ok(())
    }
}

struct NoNetwork;

impl Downloader for NoNetwork {
    fn download(&self, _: &Artifact, _: &Path) -> Result<(), DownloadError> {
        Err(DownloadError::NoTool)
    }
}

fn artifact(bytes: &[u8]) -> Artifact {
    Artifact {
        file: "a-1.whl".to_owned(),
        sha256: Sha256::of(bytes),
        origin: Origin::Wheel(WheelTags {
            distribution: "a".to_owned(),
            version: "1".to_owned(),
            python: "311".to_owned(),
            abi: "cp311".to_owned(),
            platforms: vec![],
        }),
    }
}

fn fetcher(root: &Path, downloader: impl Downloader + 'static) -> Fetcher {
    Fetcher::new(Cache::at(root), |_| {}).with_downloader(downloader)
}

/// Every name in the cache that a later run would use as a file.
fn kept(root: &Path) -> Vec<String> {
    let names = fs::read_dir(root.join("wheels"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    names
        .map(|name| name.into_string().unwrap())
        .filter(|name| !name.ends_with(".lock"))
        .collect()
}

fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_file_is_downloaded_once_and_again_when_it_is_damaged() {
    let root = tempfile::tempdir().unwrap();
    let fake = Fake::new(GOOD);
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let fetcher = Fetcher::new(Cache::at(root.path()), move |event| {
        log.lock().unwrap().push(event.to_string())
    })
    .with_downloader(fake.clone());

    let path = fetcher.fetch(&artifact(GOOD)).unwrap().path().to_path_buf();
    fetcher.fetch(&artifact(GOOD)).unwrap();
    assert_eq!(fake.count(), 1);

    fs::write(&path, b"the bytes of a whale").unwrap();
    assert_eq!(fetcher.fetch(&artifact(GOOD)).unwrap().bytes().as_ref(), GOOD);
    assert_eq!(fake.count(), 2);
    assert_eq!(fs::read(&path).unwrap(), GOOD);
    let events = events.lock().unwrap();
    assert!(
        events.iter().any(|event| event.contains("a-1.whl is damaged")),
        "{events:?}"
    );
}

#[test]
fn a_download_with_a_wrong_digest_is_not_installed() {
    let root = tempfile::tempdir().unwrap();
    let error = fetcher(root.path(), Fake::new(b"something else"))
        .fetch(&artifact(GOOD))
        .err()
        .unwrap();
    assert!(
        matches!(error, FetchError::Corpus(CorpusError::WrongHash { .. })),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains(&Sha256::of(GOOD).to_string()), "{text}");
    assert!(
        text.contains(&Sha256::of(b"something else").to_string()),
        "{text}"
    );
    assert_eq!(kept(root.path()), [""; 0]);
}

#[test]
fn a_download_with_another_name_is_reported() {
    let root = tempfile::tempdir().unwrap();
    let other = Fake {
        name: "a-1-1.whl",
        ..Fake::new(GOOD)
    };
    let error = fetcher(root.path(), other).fetch(&artifact(GOOD)).err().unwrap();
    assert!(
        matches!(&error, FetchError::NotDelivered { delivered, .. } if delivered == "a-1-1.whl"),
        "{error}"
    );
    assert_eq!(kept(root.path()), [""; 0]);
}

#[test]
fn without_network_the_error_names_the_place_for_the_file() {
    let root = tempfile::tempdir().unwrap();
    let fetcher = fetcher(root.path(), NoNetwork);
    let error = fetcher.fetch(&artifact(GOOD)).err().unwrap();
    let FetchError::Download { place, .. } = &error else {
        panic!("{error}")
    };
    assert!(error.to_string().contains(&*place.to_string_lossy()), "{error}");
    fs::write(place, GOOD).unwrap();
    fetcher.fetch(&artifact(GOOD)).unwrap();
}

/// The first process to take the lock finishes its download only after the other is seen waiting for it.
#[test]
fn two_fetches_at_once_share_one_download() {
    let root = tempfile::tempdir().unwrap();
    let (waiting, until) = channel();
    let fake = Fake {
        until: Some(Arc::new(Mutex::new(until))),
        ..Fake::new(GOOD)
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            let (waiting, fake) = (waiting.clone(), fake.clone());
            let notify = move |event: &FetchEvent<'_>| {
                if matches!(event, FetchEvent::Waiting { .. }) {
                    waiting.send(()).unwrap();
                }
            };
            let fetcher = Fetcher::new(Cache::at(root.path()), notify).with_downloader(fake);
            scope.spawn(move || assert_eq!(fetcher.fetch(&artifact(GOOD)).unwrap().bytes().as_ref(), GOOD));
        }
    });
    assert_eq!(fake.count(), 1);
}

#[test]
fn remains_of_a_killed_run_do_not_affect_the_next() {
    let root = tempfile::tempdir().unwrap();
    let partial = root.path().join("wheels/.a-1.whl.partial");
    fs::create_dir_all(&partial).unwrap();
    fs::write(partial.join("a-1.whl"), b"half of").unwrap();
    fetcher(root.path(), Fake::new(GOOD))
        .fetch(&artifact(GOOD))
        .unwrap();
    assert_eq!(kept(root.path()), ["a-1.whl"]);
}

#[test]
fn a_library_is_extracted_once_and_restored_if_damaged() {
    let root = tempfile::tempdir().unwrap();
    let wheel = zip_of(&[("rt/capi/librt.so.1", b"library"), ("rt/other.py", b"other")]);
    let fake = Fake::new(&wheel);
    let fetcher = fetcher(root.path(), fake.clone());
    let pin = |library: &str| RuntimePin {
        artifact: artifact(&wheel),
        library: library.to_owned(),
        library_sha256: Sha256::of(b"library"),
    };
    for _ in 0..2 {
        let path = fetcher.runtime_library(&pin("rt/capi/librt.so.1")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"library");
        assert!(path.ends_with("runtimes/a-1/librt.so.1"), "{}", path.display());
        fs::write(&path, b"damaged").unwrap();
    }
    assert_eq!(fake.count(), 1);
    let other = fetcher.runtime_library(&pin("rt/other.py")).unwrap_err();
    assert!(
        matches!(other, FetchError::Corpus(CorpusError::WrongHash { .. })),
        "{other}"
    );
    let missing = fetcher.runtime_library(&pin("rt/none.so")).unwrap_err();
    assert!(
        matches!(missing, FetchError::Corpus(CorpusError::Entry { .. })),
        "{missing}"
    );
}

#[test]
fn a_provider_is_extracted_with_the_libraries_that_it_loads() {
    let root = tempfile::tempdir().unwrap();
    let wheel = zip_of(&[("p/lib/libp.so", b"library"), ("p.libs/libneeded.so", b"needed")]);
    let fake = Fake::new(&wheel);
    let fetcher = fetcher(root.path(), fake.clone());
    let pin = RuntimePin {
        artifact: artifact(&wheel),
        library: "p/lib/libp.so".to_owned(),
        library_sha256: Sha256::of(b"library"),
    };
    for _ in 0..2 {
        let path = fetcher.provider_library(&pin).unwrap();
        assert!(
            path.ends_with("providers/a-1/p/lib/libp.so"),
            "{}",
            path.display()
        );
        assert_eq!(fs::read(&path).unwrap(), b"library");
        let needed = path.parent().unwrap().join("../../p.libs/libneeded.so");
        assert_eq!(fs::read(needed).unwrap(), b"needed");
        fs::write(&path, b"damaged").unwrap();
    }
    assert_eq!(fake.count(), 1);
}
