//! Tests of statements: made from a run, signed, changed, verified.

use std::fs;
use std::process::Command;

use crate::program::{self, MOCK, Place, resealed};
use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{EncodePrivateKey, EncodePublicKey};
use harness_corpus::Sha256;
use harness_statement::envelope;

/// A run of three cases, of which one fails, and two pairs of keys.
fn place() -> Place {
    let place = Place::with_cases(&[("a", "healthy"), ("b", "healthy"), ("wrong", "run:wrong-shape")]);
    let run = place.run("conformance --no-bounds --noise 0 --cases cases --out run --backend mine=cmd:MOCK");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for (name, seed) in [("key", 1), ("other", 2)] {
        let key = SigningKey::from_bytes(&[seed; 32]);
        let private = key.to_pkcs8_pem(LineEnding::LF).expect("a key");
        let public = key
            .verifying_key()
            .to_public_key_pem(LineEnding::LF)
            .expect("a key");
        place.write(&format!("{name}.pem"), &private);
        place.write(&format!("{name}.pub.pem"), &public);
    }
    place.write(
        "waivers.toml",
        "[[waiver]]\ncase = 'local/cases/wrong'\nreason = 'known'\nowner = 'me'\n",
    );
    place
}

#[track_caller]
fn check(place: &Place, line: &str, code: i32, said: &str) {
    let ended = place.run(&format!("statement {line}"));
    assert_eq!(ended.code, Some(code), "{line}: {}{}", ended.stdout, ended.stderr);
    let all = format!("{}{}", ended.stdout, ended.stderr);
    assert!(all.contains(said), "{line}: wanted `{said}` in\n{all}");
}

#[test]
fn a_statement_is_made_and_accepted() {
    let place = place();
    let make = "make run --backend mine --out claim --key key.pem";
    check(
        &place,
        make,
        1,
        "mine, all: FAILED (2 cases passed, 0 with warnings, 1 failed)",
    );
    check(
        &place,
        &format!("{make} --waivers waivers.toml"),
        0,
        "WARNED (2 cases passed, 1 with warnings, 0 failed)",
    );
    let verify = "verify claim --key key.pub.pem --waivers waivers.toml";
    check(&place, verify, 0, "signed by ");
    check(
        &place,
        "verify claim --key key.pub.pem",
        1,
        "the package waives `local/cases/wrong`",
    );
    let rerun = format!("{verify} --rerun 5 --backend mine=cmd:MOCK --cases cases --no-bounds");
    check(&place, &rerun, 0, "2 of 2 repeated cases pass (--seed ");
    check(
        &place,
        &format!("{rerun} --seed 7"),
        0,
        "2 of 2 repeated cases pass (--seed 7)",
    );
    // The worker now behaves differently.
    program::write_case(&place.at("cases/b"), "run:wrong-shape");
    check(
        &place,
        &rerun,
        1,
        "local/cases/b passes in the statement, but its verdict here is: mismatch",
    );
    check(
        &place,
        "verify claim --unsigned --waivers waivers.toml",
        0,
        "the signature was not checked",
    );
    check(&place, "profiles", 0, "opset21-inference-float32: ");
}

#[test]
fn a_changed_package_is_not_accepted() {
    let place = place();
    let make = "make run --backend mine --out claim --waivers waivers.toml";
    check(&place, make, 0, "the package is not signed");
    check(
        &place,
        "verify claim --key key.pub.pem",
        1,
        "the statement is not signed",
    );
    check(&place, &format!("{make} --key key.pem"), 0, "WARNED");
    check(
        &place,
        "verify claim --key other.pub.pem",
        1,
        "the signature is not valid for the key",
    );
    let verify = "verify claim --key key.pub.pem --waivers waivers.toml";
    let names: Vec<String> = fs::read_dir(place.at("claim"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 8, "{names:?}");
    for name in &names {
        let path = place.at("claim").join(name);
        let bytes = fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        fs::write(&path, &changed).unwrap();
        check(&place, verify, 1, "not accepted");
        fs::write(&path, &bytes).unwrap();
    }
    check(&place, verify, 0, "WARNED");
    place.write("claim/more.txt", "more");
    check(&place, verify, 1, "more.txt is not named in the statement");
    fs::remove_file(place.at("claim/more.txt")).unwrap();
    fs::remove_file(place.at("claim/errata.toml")).unwrap();
    check(&place, verify, 1, "errata.toml is missing");
}

#[test]
fn invalid_input_is_named() {
    let place = place();
    for (line, code, said) in [
        (
            "make nowhere --backend mine",
            2,
            "cannot read the run log nowhere/run.jsonl",
        ),
        (
            "make run --backend other",
            6,
            "there is no executable `onnx-worker-other`",
        ),
        (
            &format!("make run --backend cmd:{MOCK}"),
            2,
            "the run has no backend",
        ),
        (
            "make run --backend mine --profile opset22",
            2,
            "there is no profile `opset22`",
        ),
        (
            "make run --backend mine --key key.pub.pem",
            2,
            "key.pub.pem has no ed25519 private key",
        ),
        (
            "make run --backend mine --key none.pem",
            2,
            "cannot read the key none.pem",
        ),
        ("verify run --unsigned", 2, "statement.json: No such file"),
        ("verify claim", 2, "--key"),
    ] {
        check(&place, line, code, said);
    }
    place.write(
        "idle.toml",
        "[[waiver]]\ncase = 'local/cases/a'\nreason = 'known'\nowner = 'me'\n",
    );
    check(
        &place,
        "make run --backend mine --waivers idle.toml",
        2,
        "`local/cases/a` needs no waiver",
    );
    place.write(
        "blank.toml",
        "[[waiver]]\ncase = 'local/cases/wrong'\nreason = ''\nowner = 'me'\n",
    );
    check(
        &place,
        "make run --backend mine --waivers blank.toml",
        2,
        "needs a reason and an owner",
    );
}

/// An honest package that is accepted, without a signature.
fn package() -> Place {
    let place = place();
    let make = "make run --backend mine --out claim --waivers waivers.toml";
    check(&place, make, 0, "WARNED");
    place
}

/// Changes a file of the package, and the statement so that it has the digest of the new file.
fn forge(place: &Place, file: &str, change: impl Fn(String) -> String) {
    let old = place.read(&format!("claim/{file}"));
    let new = resealed(&change(old.clone()));
    assert_ne!(old, new, "{file}");
    place.write(&format!("claim/{file}"), &new);
    let digest = |text: &str| Sha256::of(text.as_bytes()).to_string();
    restate(place, |statement| statement.replace(&digest(&old), &digest(&new)));
}

/// Changes the statement of the package.
fn restate(place: &Place, change: impl Fn(String) -> String) {
    let payload = envelope::open(&place.read("claim/statement.json"), None).expect("an envelope");
    let changed = change(String::from_utf8(payload).expect("JSON"));
    place.write("claim/statement.json", &envelope::seal(changed.as_bytes(), None));
}

/// The verification of [`package`] by its own rules.
const VERIFY: &str = "verify claim --unsigned --waivers waivers.toml";

#[test]
fn rules_of_the_package_are_compared_and_never_used() {
    // Each of the files by which a run is judged, with a comment that changes no meaning.
    for file in [
        "corpora.lock",
        "errata.toml",
        "readings.toml",
        "tolerances.toml",
        "profiles.toml",
    ] {
        let place = package();
        forge(&place, file, |text| format!("{text}\n# more\n"));
        check(
            &place,
            VERIFY,
            1,
            &format!("finding: {file} of the package differs"),
        );
        restate(&place, |statement| {
            statement.replace(file, &format!("other-{file}"))
        });
        fs::rename(
            place.at("claim").join(file),
            place.at("claim").join(format!("other-{file}")),
        )
        .unwrap();
        check(&place, VERIFY, 1, &format!("finding: the package has no {file}"));
    }
    for (file, from, to, said) in [
        (
            "run.jsonl",
            "\"name\":\"official\"",
            "\"name\":\"mine\"",
            "finding: the run was judged by the policy `mine`",
        ),
        (
            "run.jsonl",
            "{\"kind\":\"mismatch\",\"detail\":\"shape\"}",
            "{\"kind\":\"disputed\",\"detail\":\"wrong-data\"}",
            "finding: `local/cases/wrong` is disputed in the log, but not by the errata",
        ),
        (
            "waivers.toml",
            "wrong",
            "a",
            "finding: the package waives `local/cases/a`",
        ),
        (
            "run.jsonl",
            "local/cases/a",
            "local/cases/z",
            "the first difference is `local/cases/a`",
        ),
    ] {
        let place = package();
        forge(&place, file, |text| text.replace(from, to));
        check(&place, VERIFY, 1, said);
    }
    let place = package();
    restate(&place, |statement| statement.replace("WARNED", "PASSED"));
    check(&place, VERIFY, 1, "the first difference is `PASSED`");
}

#[test]
fn nothing_of_the_package_is_started_or_is_an_option() {
    let place = package();
    let rerun = format!("{VERIFY} --rerun 2 --backend mine=cmd:MOCK --cases cases --no-bounds");
    // Everything in the log that once became a part of a command line.
    forge(&place, "run.jsonl", |text| {
        let start = text.find("\"repeat\":{").expect("a command that repeats");
        let end = text[start..].find("]}").expect("its end") + start + 2;
        let planted = r#""repeat":{"program":["touch","pwned"],"named":{"mine":"cmd:touch pwned"},"#;
        let options =
            r#""cases":["--cases","pwned"],"options":["--backend","cmd:touch pwned","--out","pwned"]}"#;
        format!("{}{planted}{options}{}", &text[..start], &text[end..])
    });
    check(&place, VERIFY, 0, "WARNED");
    check(&place, &rerun, 0, "2 of 2 repeated cases pass");
    check(&place, &format!("{VERIFY} --rerun 2"), 2, "--backend");
    assert!(!place.at("pwned").exists());
    // Another program than the subject is not started.
    place.write("other", "#!/bin/sh\ntouch pwned\n");
    let other = format!("{VERIFY} --rerun 2 --backend 'mine=cmd:sh other' --cases cases --no-bounds");
    check(&place, &other, 1, "is not the subject of the statement");
    assert!(!place.at("pwned").exists());
    // The verifier does not have the cases.
    let none = format!("{VERIFY} --rerun 2 --backend mine=cmd:MOCK --builtin --no-bounds");
    check(&place, &none, 1, "not run (it is not among your cases");
}

#[test]
fn pipes_and_devices_are_refused_at_once() {
    for name in ["statement.json", "run.jsonl", "waivers.toml"] {
        let place = package();
        fs::remove_file(place.at("claim").join(name)).unwrap();
        let made = Command::new("mkfifo").arg(place.at("claim").join(name)).status();
        assert!(made.unwrap().success());
        check(&place, VERIFY, 2, "not a regular file");
    }
    let place = package();
    fs::remove_file(place.at("claim/run.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.at("claim/run.jsonl")).unwrap();
    check(&place, VERIFY, 2, "not a regular file");
}
