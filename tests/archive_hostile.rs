//! Archives that somebody made to do harm, or that came to harm on their way: each is refused in words, with nothing written
//! anywhere and the store as it was.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod computer;

use std::path::{Path, PathBuf};

use computer::{Computer, draft, file};
use outtray_core::Code;
use outtray_core::archive::Kind;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

/// A member: its name, what it is, its bytes.
#[derive(Clone)]
struct Member {
    name: Vec<u8>,
    kind: EntryType,
    bytes: Vec<u8>,
    /// The size that its header tells, when that is not true.
    told: Option<u64>,
    link: Option<&'static str>,
}

fn member(name: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Member {
    Member {
        name: name.as_ref().to_vec(),
        kind: EntryType::Regular,
        bytes: bytes.as_ref().to_vec(),
        told: None,
        link: None,
    }
}

/// An archive that is right, to be spoilt.
struct Good {
    manifest: Value,
    members: Vec<Member>,
    bytes: Vec<u8>,
}

fn good() -> Good {
    let from = Computer::new();
    let dir = from.desk.dir.path();
    file(&from.engine, dir, "one", &[("a.txt", b"the first file"), ("b.txt", b"the second file")]);
    let seen = file(&from.engine, dir, "two", &[("c.txt", b"the third file")]);
    let work = from.desk.outbox.destination("work").unwrap().id;
    let receipt = computer::desk::receipt(9);
    from.desk.outbox.sight(seen.id, work, &receipt, &from.desk.now()).unwrap();
    draft(&from.engine, "a draft");
    let path = from.path("outbox.tar");
    from.engine.export(&path, Kind::Move, false).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut members = Vec::new();
    for found in tar::Archive::new(&bytes[..]).entries().unwrap() {
        let mut found = found.unwrap();
        let name = found.path_bytes().into_owned();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut found, &mut content).unwrap();
        members.push(member(name, content));
    }
    let manifest = serde_json::from_slice(&members[0].bytes).unwrap();
    Good { manifest, members, bytes }
}

fn pack(members: &[Member]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    for member in members {
        let mut header = Header::new_ustar();
        // Past every check of the library, which would not let these names through.
        header.as_mut_bytes()[..member.name.len()].copy_from_slice(&member.name);
        header.set_entry_type(member.kind);
        header.set_size(member.told.unwrap_or(member.bytes.len() as u64));
        if let Some(link) = member.link {
            header.set_link_name_literal(link).unwrap();
        }
        header.set_mode(0o600);
        header.set_cksum();
        tar.append(&header, &member.bytes[..]).unwrap();
    }
    tar.into_inner().unwrap()
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Good {
    /// With other members, and digests that are true of them.
    fn of(&self, change: impl FnOnce(&mut Vec<Member>)) -> Vec<u8> {
        let mut members = self.members.clone();
        change(&mut members);
        let last = members.len() - 1;
        if members[last].name == b"SHA256SUMS" {
            let sums = members[..last]
                .iter()
                .map(|member| format!("{}  {}\n", hex(&member.bytes), String::from_utf8_lossy(&member.name)));
            members[last].bytes = sums.collect::<String>().into_bytes();
        }
        pack(&members)
    }

    /// With another manifest.
    fn says(&self, change: impl FnOnce(&mut Value)) -> Vec<u8> {
        let mut manifest = self.manifest.clone();
        change(&mut manifest);
        self.of(|members| members[0].bytes = serde_json::to_vec(&manifest).unwrap())
    }
}

/// Whatever lies below a folder, with when it was changed.
fn listing(dir: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        // The log and its index are SQLite's own, and change when somebody reads.
        if entry.file_name().to_string_lossy().starts_with("outtray.db-") {
            continue;
        }
        let facts = entry.metadata().unwrap();
        if facts.is_dir() {
            found.extend(listing(&entry.path()));
        } else {
            found.push((entry.path(), facts.len()));
        }
    }
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_is_refused_in_words_and_leaves_nothing() {
    let good = good();
    let second = || member("file-00002", b"the second file");
    let relative = json!({
        "name": "f", "tracker": "folder", "url": null, "project": null, "path": "../..", "branch": null,
        "honours_key": false, "removed": false,
    });
    let as_kind = |kind: EntryType, link: Option<&'static str>| {
        good.of(|members| {
            members[1].kind = kind;
            members[1].link = link;
        })
    };
    // Their digests are told under the names that are expected, so that nothing but the name is wrong.
    let named = |name: &'static [u8]| {
        let mut members = good.members.clone();
        members[1].name = name.to_vec();
        pack(&members)
    };
    let entry = |name: &'static str, value: Value| good.says(|says| says["entries"][0][name] = value);
    let many = |value: Value, count: usize| Value::Array(vec![value; count]);
    let deep = "[".repeat(100_000);
    let mut long = good.bytes.clone();
    long.extend_from_slice(&[0; 512]);
    let mut behind = good.bytes.clone();
    behind.extend_from_slice(&pack(&[member("/tmp/outtray-was-here", b"x")]));
    let flipped = |at: usize| {
        let mut bytes = good.bytes.clone();
        bytes[at] ^= 0x40;
        bytes
    };
    let first_file = good.bytes.windows(14).position(|part| part == b"the first file").unwrap();
    let last_file = good.bytes.windows(5).rposition(|part| part == b"noted").unwrap();
    // The beginning of a ZIP whose first entry is encrypted.
    let mut zip = b"PK\x03\x04\x14\x00\x01\x00\x00\x00".to_vec();
    zip.resize(4_096, 7);

    let cases: Vec<(&str, Vec<u8>)> = vec![
        // Not an archive at all.
        ("an empty file", Vec::new()),
        ("noise", (0..20_000_u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()).collect()),
        ("a database", b"SQLite format 3\0".repeat(100)),
        ("an encrypted ZIP", zip),
        ("nothing but zeros", vec![0; 10_240]),
        // Names and kinds.
        ("a climbing name", named(b"../../../etc/outtray-was-here")),
        ("an absolute name", named(b"/etc/outtray-was-here")),
        ("a name in a folder", named(b"a/file-00001")),
        ("a name of the store", named(b"outtray.db")),
        ("a name with a NUL in it", named(b"file-00001\0/../x")),
        ("a symbolic link", as_kind(EntryType::Symlink, Some("/etc/passwd"))),
        ("a hard link", as_kind(EntryType::Link, Some("outbox.json"))),
        ("a folder", as_kind(EntryType::Directory, None)),
        ("a device", as_kind(EntryType::Block, None)),
        ("a pipe", as_kind(EntryType::Fifo, None)),
        ("a sparse file", as_kind(EntryType::GNUSparse, None)),
        ("a long name", as_kind(EntryType::GNULongName, None)),
        ("a name in an extension", as_kind(EntryType::XHeader, None)),
        (
            "an extension for all",
            good.of(|members| {
                let mut global = member("pax_global_header", b"30 path=/etc/outtray-was-here\n");
                global.kind = EntryType::XGlobalHeader;
                members.insert(0, global);
            }),
        ),
        // What is there, and what is said to be.
        ("a file twice", good.of(|members| members.insert(2, second()))),
        ("a file in another's place", good.of(|members| members[2].name = b"file-00001".to_vec())),
        ("a letter of the manifest", {
            let mut bytes = good.bytes.clone();
            let title = bytes.windows(5).position(|part| part == b"\"two\"").unwrap();
            bytes[title + 1] = b'T';
            bytes
        }),
        ("a manifest twice", good.of(|members| members.insert(1, members[0].clone()))),
        ("a file too few", good.of(|members| drop(members.remove(2)))),
        ("a file too many", good.of(|members| members.insert(5, member("file-00005", b"x")))),
        ("files in another order", good.of(|members| members.swap(1, 2))),
        ("no digests", good.of(|members| drop(members.pop()))),
        ("digests of others", {
            let mut members = good.members.clone();
            members[5].bytes[0] = b'x';
            pack(&members)
        }),
        ("another file of the same length", good.of(|members| members[1].bytes = b"the false file".to_vec())),
        ("a bit in the first file", flipped(first_file)),
        ("a bit in the last file", flipped(last_file)),
        ("a bit in the manifest", flipped(700)),
        ("a bit in a header", flipped(10)),
        // Length.
        ("cut in the manifest", good.bytes[..700].to_vec()),
        ("cut in a header", good.bytes[..first_file - 100].to_vec()),
        ("cut in a file", good.bytes[..last_file + 2].to_vec()),
        ("cut before its end", good.bytes[..good.bytes.len() - 512].to_vec()),
        ("more behind its end", long),
        ("another archive behind its end", behind),
        // Bombs.
        ("a manifest of 1 TiB", {
            let mut members = good.members.clone();
            members[0].told = Some(1 << 40);
            pack(&members)
        }),
        ("a manifest of 100 MiB that is not there", {
            let mut members = good.members.clone();
            members[0].told = Some(100 << 20);
            pack(&members)
        }),
        (
            "a file of 100 GiB",
            good.says(|says| says["entries"][0]["attachments"][0]["size"] = json!(100_u64 << 30)),
        ),
        (
            "a file larger than the archive",
            good.says(|says| {
                says["entries"][0]["attachments"][0]["size"] = json!(90 << 20);
            }),
        ),
        ("a file of nothing", good.says(|says| says["entries"][0]["attachments"][0]["size"] = json!(0))),
        ("a million labels", entry("labels", many(json!(""), 1_000_000))),
        ("a million stages", entry("stages", many(good.manifest["entries"][0]["stages"][0].clone(), 5_000))),
        ("a deep manifest", good.of(|members| members[0].bytes = deep.clone().into_bytes())),
        (
            "a deep value",
            good.of(|members| {
                members[0].bytes = format!("{{\"format\": 1, \"x\": {deep}").into_bytes();
            }),
        ),
        ("a manifest that is no text", good.of(|members| members[0].bytes = vec![0xff; 300])),
        // What no outbox says.
        ("a later format", good.says(|says| says["format"] = json!(2))),
        ("format 0", good.says(|says| says["format"] = json!(0))),
        ("a word that nobody knows", good.says(|says| says["run"] = json!("rm -rf"))),
        ("a token", good.says(|says| says["destinations"][0]["token"] = json!("secret"))),
        ("a tracker that nobody knows", good.says(|says| says["destinations"][0]["tracker"] = json!("exec"))),
        ("an address that is none", good.says(|says| says["destinations"][0]["url"] = json!("file:///etc"))),
        (
            "an address without a lock",
            good.says(|says| {
                says["destinations"][0]["url"] = json!("http://git.example.org");
            }),
        ),
        ("a destination without a name", good.says(|says| says["destinations"][0]["name"] = json!(""))),
        ("a relative folder", good.says(|says| says["destinations"].as_array_mut().unwrap().push(relative))),
        ("a destination that is not there", entry("destination", json!(7))),
        ("a key that is none", entry("key", json!("../x"))),
        (
            "one key twice",
            good.says(|says| {
                let key = says["entries"][1]["key"].clone();
                says["entries"][0]["key"] = key;
            }),
        ),
        (
            "an entry and a draft with one key",
            good.says(|says| {
                let key = says["drafts"][0]["key"].clone();
                says["entries"][0]["key"] = key;
            }),
        ),
        ("no title", entry("title", json!("  "))),
        ("filed without a receipt", entry("state", json!("filed"))),
        ("needs somebody, and does not say why", entry("state", json!("attention"))),
        ("a time before time", entry("saved_at_ms", json!(i64::MIN))),
        ("a time after time", good.says(|says| says["made_at_ms"] = json!(i64::MAX))),
        ("a revision out of bounds", entry("revision", json!(i64::MAX))),
        (
            "two creates",
            good.says(|says| {
                let stage = says["entries"][0]["stages"][0].clone();
                says["entries"][0]["stages"].as_array_mut().unwrap().push(stage);
            }),
        ),
        ("no create", entry("stages", json!([]))),
        (
            "an upload of a file that is not there",
            good.says(|says| {
                says["entries"][0]["stages"][1]["attachment"] = json!(9);
            }),
        ),
        (
            "a link that runs",
            good.says(|says| {
                says["entries"][1]["sightings"][0]["receipt"]["url"] = json!("javascript:alert(1)");
            }),
        ),
        (
            "a link to a file",
            good.says(|says| {
                says["entries"][1]["sightings"][0]["receipt"]["url"] = json!("file:///etc/passwd");
            }),
        ),
        (
            "an attachment that climbs",
            good.says(|says| {
                says["entries"][0]["attachments"][0]["name"] = json!("../../x.desktop");
            }),
        ),
        (
            "a digest that is none",
            good.says(|says| {
                says["entries"][0]["attachments"][0]["sha256"] = json!("0");
            }),
        ),
        (
            "files that are numbered otherwise",
            good.says(|says| {
                says["entries"][0]["attachments"][0]["file"] = json!(2);
            }),
        ),
        ("one file for two", good.says(|says| says["entries"][0]["attachments"][1]["file"] = json!(1))),
    ];
    assert_eq!(cases.len(), 77, "a new one is counted in ARCHITECTURE.md");

    let to = Computer::new();
    file(&to.engine, to.desk.dir.path(), "here", &[("mine.txt", b"mine")]);
    let path = to.path("hostile.tar");
    std::fs::write(&path, b"").unwrap();
    let rows = to.rows();
    for (what, bytes) in &cases {
        std::fs::write(&path, bytes).unwrap();
        let before = listing(to.desk.dir.path());
        let problem = match to.engine.import(&path) {
            Ok(imported) => panic!("{what} was taken: {imported:?}"),
            Err(problem) => problem,
        };
        let expected = if what.contains("format") { Code::TooNew } else { Code::Invalid };
        assert_eq!(problem.code, expected, "{what}: {}", problem.chain());
        assert!(problem.message.ends_with('.') && problem.message.len() > 20, "{what}: {}", problem.message);
        assert!(!problem.hint.unwrap_or_default().is_empty(), "{what} says what to do");
        assert_eq!(listing(to.desk.dir.path()), before, "{what} wrote something");
        assert_eq!(to.rows(), rows, "{what} changed the store");
        for place in ["/etc/outtray-was-here", "/tmp/outtray-was-here"] {
            assert!(!Path::new(place).exists(), "{what}");
        }
    }

    // And it is not that everything is refused.
    std::fs::write(&path, &good.bytes).unwrap();
    assert_eq!(to.engine.import(&path).unwrap().entries, 2);
    std::fs::write(&path, good.of(|_| {})).unwrap();
    assert_eq!(Computer::new().engine.import(&path).unwrap().entries, 2, "nor what this test packs");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_file_is_refused() {
    let to = Computer::new();
    let pipe = to.path("pipe");
    let made = rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    );
    made.unwrap();
    for (path, code) in
        [(pipe, Code::Invalid), (to.path("outtray"), Code::Invalid), (to.path("none"), Code::NotFound)]
    {
        assert_eq!(to.engine.import(&path).unwrap_err().code, code, "{}", path.display());
    }
}
