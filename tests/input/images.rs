//! Images: four kinds, told by their content.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::support::{at, create, daemon, seen};

#[test]
fn four_kinds_are_sent_in_standard_padded_base64() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let place = tempfile::tempdir().unwrap();
    // Bytes whose base64 has both characters that the URL alphabet lacks, and padding.
    let tail = [0xfb, 0xff, 0xfe, 0x3e, 0x3f];
    let kinds: [(&str, &[u8], &str); 4] = [
        ("a.png", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("b.txt", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("c", b"GIF89a", "image/gif"),
        ("d e.webp", b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    ];
    let mut arguments = vec!["submit".to_owned(), id.clone(), "look".into()];
    let mut contents = Vec::new();
    for (name, start, _) in kinds {
        let bytes = [start, &tail].concat();
        fs::write(place.path().join(name), &bytes).unwrap();
        contents.push(bytes);
        arguments.extend(["--image".to_owned(), name.to_owned()]);
    }
    at(&daemon, &arguments)
        .dir(place.path())
        .run()
        .exits(0)
        .err("");
    let body = daemon
        .requests()
        .into_iter()
        .rfind(|request| request.path().ends_with("/turns"))
        .unwrap()
        .body;
    let body: Value = serde_json::from_slice(&body).unwrap();
    let images = body["images"].as_array().unwrap();
    assert_eq!(images.len(), 4);
    for ((image, bytes), (_, _, kind)) in images.iter().zip(&contents).zip(kinds) {
        assert_eq!(image["media_type"], kind);
        let data = image["data"].as_str().unwrap();
        assert_eq!(&STANDARD.decode(data).unwrap(), bytes);
        assert_eq!(data.len() % 4, 0);
    }
    assert_eq!(body["text"], "look");
}

#[test]
fn anything_else_is_refused_before_anything_is_sent() {
    let daemon = daemon("done");
    let id = create(&daemon);
    let place = tempfile::tempdir().unwrap();
    let before = daemon.requests().len();
    fs::write(place.path().join("x.png"), "<svg/>").unwrap();
    fs::write(place.path().join("empty.png"), "").unwrap();
    fs::write(place.path().join("short.png"), b"\x89PNG").unwrap();
    for name in ["x.png", "empty.png", "short.png", "missing.png", "."] {
        for arguments in [
            vec!["submit", &id, "look", "--image", name],
            vec!["submit", &id, "look", "--detach", "--image", name],
            vec!["run", "look", "--image", name],
        ] {
            let ran = at(&daemon, &arguments)
                .dir(place.path())
                .run()
                .exits(2)
                .out("");
            ran.err_has(name);
        }
    }
    assert_eq!(daemon.requests().len(), before);
    assert_eq!(seen(&daemon, "POST", "/turns"), 0);
}
