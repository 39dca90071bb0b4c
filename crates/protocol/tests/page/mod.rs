//! The sessions in bytes that `docs/protocols/` shows: lines of `client` or `server` and hex, spaced at will.

/// Who says what in the session that this page shows, in order.
pub fn session(page: &str) -> Vec<(&str, Vec<u8>)> {
    page.lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(who, _)| matches!(*who, "client" | "server"))
        .map(|(who, hex)| (who, unhex(hex)))
        .collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> =
        text.chars().filter(|letter| *letter != ' ').filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}
