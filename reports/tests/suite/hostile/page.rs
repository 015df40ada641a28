//! Reads a page by the tokenizer of an HTML5 parser, with its states for scripts and styles.

use std::cell::RefCell;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};

use run_record::shown;

use super::read::Content;

/// The contents of the page: tags, names of attributes and comments are its structure.
pub fn html(text: &str) -> Content {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    let tokenizer = Tokenizer::new(Sink::default(), Default::default());
    // The result is about scripts that must run first; none is run here.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut sink = tokenizer.sink.0.into_inner();
    sink.end_run();
    sink.content
}

/// The same, with the texts of the page's compressed blocks, which must be safe to show like all other
/// texts.
pub fn with_blocks(text: &str) -> Content {
    let mut content = html(text);
    for block in blocks(text) {
        let mut hold = |text: &str| {
            assert_eq!(shown::lines(text), text, "a character that must not be shown");
            content.data.push(text.to_owned());
        };
        texts(&block, &mut hold);
    }
    content
}

/// The blocks of a page of cases, each an array of cases.
pub fn blocks(text: &str) -> Vec<serde_json::Value> {
    let parts = text.split("class=\"block\">").skip(1);
    let encoded = parts.map(|part| part.split("</script>").next().expect("an end"));
    let decoded = encoded.map(|text| STANDARD.decode(text).expect("base64"));
    let read = |bytes: Vec<u8>| serde_json::from_reader(DeflateDecoder::new(&*bytes)).expect("JSON");
    decoded.map(read).collect()
}

fn texts(value: &serde_json::Value, hold: &mut impl FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => hold(text),
        serde_json::Value::Array(items) => items.iter().for_each(|item| texts(item, hold)),
        serde_json::Value::Object(fields) => fields.values().for_each(|field| texts(field, hold)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

#[derive(Default)]
struct Sink(RefCell<Found>);

#[derive(Default)]
struct Found {
    content: Content,
    run: String,
}

impl Found {
    fn end_run(&mut self) {
        self.content.data.push(std::mem::take(&mut self.run));
    }

    fn tag(&mut self, tag: &Tag) {
        // The positions where a long name may be broken are not part of the structure.
        if &*tag.name == "wbr" {
            return;
        }
        self.end_run();
        let keys: Vec<&str> = tag.attrs.iter().map(|attribute| &*attribute.name.local).collect();
        self.content
            .structure
            .push(format!("{:?} {} {keys:?}", tag.kind, tag.name));
        self.content
            .data
            .extend(tag.attrs.iter().map(|attribute| attribute.value.to_string()));
    }
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut found = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => found.run.push_str(&text),
            Token::TagToken(tag) => {
                found.tag(&tag);
                return raw(&tag);
            }
            Token::CommentToken(text) => found.content.structure.push(format!("comment {text}")),
            Token::NullCharacterToken => found.content.structure.push("a NUL".to_owned()),
            // The tokenizer reports errors that browsers correct: an ampersand in our style, for
            // example.
            Token::ParseError(_) | Token::DoctypeToken(_) | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

/// The state in which the content of an element is read.
fn raw(tag: &Tag) -> TokenSinkResult<()> {
    match (&tag.kind, &*tag.name) {
        (TagKind::StartTag, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
        (TagKind::StartTag, "style") => TokenSinkResult::RawData(RawKind::Rawtext),
        (TagKind::StartTag, "title" | "textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
        _ => TokenSinkResult::Continue,
    }
}
