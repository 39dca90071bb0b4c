//! The system's clipboard, for codes of lobbies. It is opened when it is first needed, and kept: on X11 and Wayland what
//! was copied is there only for as long as its program.

/// The clipboard; none until something is copied.
#[derive(Default)]
pub struct Clipboard(Option<arboard::Clipboard>);

impl Clipboard {
    /// Puts a text there. False if this system has no clipboard for us, which a line on standard error says.
    pub fn copy(&mut self, text: &str) -> bool {
        let copied = self.try_copy(text);
        if let Err(error) = &copied {
            eprintln!("volley-desktop: no clipboard: {error}");
        }
        copied.is_ok()
    }

    fn try_copy(&mut self, text: &str) -> Result<(), arboard::Error> {
        let clipboard = match &mut self.0 {
            Some(clipboard) => clipboard,
            closed => closed.insert(arboard::Clipboard::new()?),
        };
        clipboard.set_text(text)
    }
}
