//! Tests of statements: made from a run, signed, changed, verified.

use std::fs;

use crate::program::{self, MOCK, Place};
use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{EncodePrivateKey, EncodePublicKey};

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
        "mine, all: FAILED (2 cases pass, 0 have warnings, 1 fail)",
    );
    check(
        &place,
        &format!("{make} --waivers waivers.toml"),
        0,
        "WARNED (2 cases pass, 1 have warnings, 0 fail)",
    );
    check(&place, "verify claim --key key.pub.pem", 0, "signed by ");
    check(
        &place,
        "verify claim --key key.pub.pem --rerun 5",
        0,
        "2 of 2 repeated cases pass",
    );
    // The worker now behaves differently.
    program::write_case(&place.at("cases/b"), "run:wrong-shape");
    check(
        &place,
        "verify claim --key key.pub.pem --rerun 5",
        1,
        "local/cases/b passes in the statement, but its verdict here is: mismatch",
    );
    check(
        &place,
        "verify claim --unsigned",
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
    let verify = "verify claim --key key.pub.pem";
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
