//! `volley decode` and `volley dissector` as a user meets them: files, standard input, filters, JSON, mistakes.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

fn volley(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_volley"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("volley starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

const SESSION: &str = "\
# Ann joins, is player 0, and presses the up arrow; then something that no key does
client 02 0000 00000000 41 6e 6e
server 08 0000 00000000 00
client 01 0001 00000010 00 26 01
client 01 0002 00000020 00 26 07
";

#[test]
fn lines_of_hexadecimal_are_explained_with_offsets_units_and_clauses() {
    let output = volley(&["decode", "-", "--dialect", "snapshot"], SESSION);
    assert!(output.status.success(), "{output:?}");
    let printed = text(&output.stdout);
    for part in [
        "JOIN, 10 bytes",
        "PLAYER_ID_ASSIGNMENT, 8 bytes",
        "     3   4 Timestamp                16 ms",
        "Header Fields, S4",
        "violation: Action holds a value that is not allowed [0x01 - INPUT]",
        "4 datagrams and messages explained, 1 of them malformed",
    ] {
        assert!(printed.contains(part), "{part:?} is missing in\n{printed}");
    }
}

#[test]
fn the_dialect_is_guessed_and_a_filter_chooses() {
    let output = volley(&["decode", "-", "--filter", "violation && client"], SESSION);
    let printed = text(&output.stdout);
    assert!(printed.contains("is snapshot by its content"), "{printed}");
    assert!(printed.contains("#4") && !printed.contains("#2  "), "{printed}");
}

#[test]
fn a_line_of_a_stream_is_a_message_of_it_whether_the_dialect_is_given_or_guessed() {
    // rfc2020: CREATE of "endless" over TCP, its answer with port 24500 and KXWQ29, and JOIN there.
    let rfc2020 = "client stream 01 0000000000000007 0000000000000009 656e646c657373\n\
                   server stream 41 0000000000000008 0000000000000009 5fb4 4b5857513239\n\
                   client 0c 0000000000000000 000000000000000a\n";
    // volley: Hello of Ann, and Welcome.
    let volley_lines =
        "client stream 0600 00 05 03 416e6e\nserver stream 0200 00 05\nclient stream 0600 00 05 03 416e6e\n";
    for (dialect, lines, parts) in [
        ("rfc2020", rfc2020, &["CREATE, 24 bytes", "CREATE answer", "\"KXWQ29\"", "JOIN, 17 bytes"][..]),
        ("volley", volley_lines, &["Hello", "\"Ann\"", "Welcome"]),
    ] {
        for choice in [dialect, "auto"] {
            let printed = text(&volley(&["decode", "-", "--dialect", choice], lines).stdout);
            let all_read = "3 datagrams and messages explained, 0 of them malformed";
            assert!(printed.contains(all_read), "{dialect} as {choice}: {printed}");
            for part in parts {
                assert!(printed.contains(part), "{dialect} as {choice}: {part:?} is missing in {printed}");
            }
        }
    }
}

#[test]
fn losses_are_told_where_datagrams_are_numbered_and_nowhere_else() {
    let lost = SESSION.replace("0002 00000020 00 26 07", "0009 00000020 00 26 00");
    let printed = text(&volley(&["decode", "-", "--dialect", "snapshot"], &lost).stdout);
    assert!(printed.contains("; 7 lost, 0 repeated"), "{printed}");
    let lines = "client stream 01 0000000000000007 0000000000000009 656e646c657373\n";
    let printed = text(&volley(&["decode", "-", "--dialect", "rfc2020"], lines).stdout);
    assert!(printed.contains("0 repeated") && !printed.contains("lost"), "{printed}");
    let json = text(&volley(&["decode", "-", "--dialect", "rfc2020", "--json"], lines).stdout);
    assert!(json.contains("\"lost\":null"), "{json}");
}

#[test]
fn every_line_of_json_is_an_object_and_the_last_one_sums_up() {
    let output = volley(&["decode", "-", "--dialect", "snapshot", "--json"], SESSION);
    let printed = text(&output.stdout);
    let lines: Vec<serde_json::Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"))).collect();
    assert_eq!(lines[2]["message"], "INPUT");
    let field = &lines[2]["fields"][4];
    assert_eq!((field["name"].as_str(), field["value"].as_u64()), (Some("rtype.snapshot.key_code"), Some(0x26)));
    assert_eq!((field["at"].as_u64(), field["meaning"].as_str()), (Some(8), Some("up")));
    assert_eq!(lines[3]["violations"][0]["is_malformed"], true);
    assert_eq!(lines[4]["summary"]["sessions"][0]["client"]["messages"], 3);
}

#[test]
fn mistakes_are_one_clear_line_and_exit_code_2() {
    for (arguments, input, expected) in [
        (&["decode", "/no/such/file"][..], "", "cannot read /no/such/file"),
        (&["decode", "-"], "", "the input is empty"),
        (&["decode", "-"], "\u{1}\u{2}\u{3}", "this is not a capture"),
        (&["decode", "-", "--dialect", "snapshot"], "client xyz", "line 1: \"xyz\" is not hexadecimal"),
        (&["decode", "-"], "client ffffffffffffffffffff", "nothing of any dialect"),
        (&["decode", "-", "--dialect", "morse"], "", "choose one of"),
        (&["decode", "-", "--filter", "(a"], "", "unclosed parenthesis"),
        (&["dissector", "--out", "/proc/none"], "", "cannot write"),
    ] {
        let output = volley(arguments, input);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(expected) && error.lines().count() == 1, "{arguments:?}: {error}");
    }
}

#[test]
fn what_could_be_read_of_a_broken_input_is_printed() {
    let broken = format!("{SESSION}client 01 zz\n");
    let output = volley(&["decode", "-", "--dialect", "snapshot"], &broken);
    assert!(output.status.success(), "{output:?}");
    let printed = text(&output.stdout);
    assert!(
        printed.contains("JOIN") && printed.contains("line 6") && printed.contains("what came before was read"),
        "{printed}"
    );
}

#[test]
fn a_dissector_is_written_for_every_dialect() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("plugins");
    let output = volley(&["dissector", "--out", out.to_str().expect("UTF-8")], "");
    assert!(output.status.success(), "{output:?}");
    for dialect in protocol::Dialect::ALL {
        let script = std::fs::read_to_string(out.join(format!("rtype_{}.lua", dialect.name()))).expect("it is there");
        assert!(script.contains("Proto(\"rtype_\" .. dialect.name"));
    }
}
