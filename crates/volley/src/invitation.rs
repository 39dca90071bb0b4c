//! The last lines that `volley serve` prints: where to click, the address alone in the last one.

use server::web_address::WebAddresses;

/// What makes the address stand out in a terminal.
const BOLD: &str = "\x1b[1;4m";
const PLAIN: &str = "\x1b[0m";

/// How the lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether a person reads them in a terminal.
    pub is_terminal: bool,
    /// Whether the node was built with the web client.
    pub has_client: bool,
}

/// The lines. With friends in mind: if other machines can reach the node, the last line is the address for them.
pub fn lines(addresses: &WebAddresses, style: Style) -> String {
    let last = addresses.elsewhere.as_ref().unwrap_or(&addresses.here);
    let what = match (style.has_client, &addresses.elsewhere) {
        (false, _) => "Built without the web client. This page says how to add it:".into(),
        (true, None) => "Play in a browser on this machine:".into(),
        (true, Some(elsewhere)) if *elsewhere == addresses.here => "Play in a browser, here or elsewhere:".into(),
        (true, Some(_)) => format!("Play in a browser, on this machine at {} and on others at:", addresses.here),
    };
    match style.is_terminal {
        true => format!("\n{what}\n\n    {BOLD}{last}{PLAIN}\n"),
        false => format!("\n{what}\n\n    {last}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIPED: Style = Style { is_terminal: false, has_client: true };

    fn last_line(text: &str) -> Option<&str> {
        text.lines().last().map(str::trim)
    }

    fn local() -> WebAddresses {
        WebAddresses { here: "http://localhost:4240/".into(), elsewhere: None }
    }

    #[test]
    fn the_last_line_is_the_address_and_nothing_else() {
        assert_eq!(last_line(&lines(&local(), PIPED)), Some("http://localhost:4240/"));
        let shown = lines(&local(), Style { is_terminal: true, ..PIPED });
        assert_eq!(last_line(&shown), Some("\x1b[1;4mhttp://localhost:4240/\x1b[0m"));
    }

    #[test]
    fn a_node_that_friends_can_reach_ends_with_the_address_for_them() {
        let open = WebAddresses { elsewhere: Some("http://192.0.2.7:4240/".into()), ..local() };
        let shown = lines(&open, PIPED);
        assert_eq!(last_line(&shown), Some("http://192.0.2.7:4240/"));
        assert!(shown.contains("http://localhost:4240/ "), "{shown}");
    }

    #[test]
    fn without_the_web_client_it_says_so() {
        let shown = lines(&local(), Style { has_client: false, ..PIPED });
        assert!(shown.contains("without the web client"), "{shown}");
        assert_eq!(last_line(&shown), Some("http://localhost:4240/"));
    }
}
