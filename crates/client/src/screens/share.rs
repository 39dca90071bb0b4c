//! Share: the way into the lobby, to be read out, typed or photographed. The link large, as text and as a QR code; in a dialect
//! without a page, the code alone.

use qrcodegen::{QrCode, QrCodeEcc};

use super::Context;
use crate::{
    draw::{Area, Colour, Font, Picture, widgets},
    input::Device,
    invitation::{Invitation, Reach},
    language::Phrase,
};

const PANEL: Area = Area { x: 14, y: 4, width: 452, height: 262 };
/// The longest side of the QR code in pixels, its margin included. Beside it are the sentences in small letters; large ones are below
/// it.
const QR_MAX_PX: [i32; 2] = [190, 120];
/// Empty modules around a QR code, as its standard asks for.
const QR_MARGIN: i32 = 4;
/// Between the QR code and the text.
const GAP: i32 = 12;

/// What is shown until the player has seen enough.
#[derive(Clone, Debug)]
pub(super) struct Share {
    invitation: Invitation,
    qr: Option<Modules>,
}

/// The squares of a QR code, worked out once.
#[derive(Clone, Debug)]
struct Modules {
    size: i32,
    dark: Vec<bool>,
}

impl Modules {
    /// The code of a text; none if it is too long for one that can be shown.
    fn of(text: &str) -> Option<Modules> {
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
        let size = code.size();
        let dark = (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).map(|(x, y)| code.get_module(x, y)).collect();
        Some(Modules { size, dark }).filter(|modules| modules.scale(Font::Large) >= 2)
    }

    /// Pixels of one module, beside such letters.
    fn scale(&self, letters: Font) -> i32 {
        QR_MAX_PX[usize::from(letters == Font::Large)] / (self.size + 2 * QR_MARGIN)
    }

    /// Width and height in pixels, with its margin.
    fn side(&self, letters: Font) -> i32 {
        self.scale(letters) * (self.size + 2 * QR_MARGIN)
    }

    /// Dark on light, whatever the palette: cameras want it so.
    fn draw(&self, x: i32, y: i32, picture: &mut Picture) {
        let (scale, side) = (self.scale(picture.letters()), self.side(picture.letters()));
        picture.rect(Area::new(x, y, side, side), Colour::PALE);
        let modules = (0..self.size).flat_map(|row| (0..self.size).map(move |column| (column, row)));
        for ((column, row), _) in modules.zip(&self.dark).filter(|(_, dark)| **dark) {
            let (left, top) = (x + (column + QR_MARGIN) * scale, y + (row + QR_MARGIN) * scale);
            picture.rect(Area::new(left, top, scale, scale), Colour::VOID);
        }
    }
}

impl Share {
    pub(super) fn new(invitation: Invitation) -> Share {
        let qr = invitation.link.as_deref().and_then(Modules::of);
        Share { invitation, qr }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        let letters = picture.letters();
        widgets::opaque_panel(PANEL, context.translate(Phrase::ShareTitle), picture);
        let top = PANEL.y + widgets::title_height(letters) + 8;
        let (left, right) = (PANEL.x + 12, PANEL.x + PANEL.width - 10);
        let side = self.qr.as_ref().map_or(0, |qr| qr.side(letters));
        self.qr.iter().for_each(|qr| qr.draw(left, top, picture));
        let beside = if side > 0 { left + side + GAP } else { left };
        let mut text = Paragraphs { x: beside, y: top + 2, width: right - beside };
        text.write(Font::Large, &self.invitation.code.to_string(), Colour::GOLD, picture);
        text.y += 4;
        if let Some(link) = &self.invitation.link {
            text.write(Font::Large, link, Colour::PALE, picture);
            text.y += 6;
        }
        if letters == Font::Large {
            text = Paragraphs { x: left, y: text.y.max(top + side + GAP), width: right - left };
        }
        self.draw_sentences(context, text, picture);
        let close = match context.device {
            Device::Touch => context.translate(Phrase::ShareCloseTouch).into(),
            Device::Keyboard | Device::Pad => context.with_keys(Phrase::ShareClose),
        };
        let (x, y) = ((Picture::WIDTH - letters.width(&close)) / 2, PANEL.y + PANEL.height - letters.height() - 8);
        picture.text_in(letters, (x, y), &close, Colour::GREY);
    }

    fn draw_sentences(&self, context: &Context, mut text: Paragraphs, picture: &mut Picture) {
        let sentences = explanations(&self.invitation).into_iter().map(|phrase| (phrase, Colour::GREY));
        for (phrase, colour) in sentences.chain(context.notice.map(|notice| (notice, Colour::GOLD))) {
            text.write(picture.letters(), context.translate(phrase), colour, picture);
            text.y += 2;
        }
    }
}

/// What the others do with it, and who can.
fn explanations(invitation: &Invitation) -> Vec<Phrase> {
    match (&invitation.link, invitation.reach) {
        (Some(_), Reach::ThisMachine) => vec![Phrase::ShareOnlyHere, Phrase::ShareBind, Phrase::ShareAddress],
        (Some(_), Reach::Elsewhere) => vec![Phrase::ShareHow],
        (None, _) => vec![Phrase::ShareCodeHow],
    }
}

/// Text below text, each broken into lines that fit.
struct Paragraphs {
    x: i32,
    y: i32,
    width: i32,
}

impl Paragraphs {
    fn write(&mut self, letters: Font, text: &str, colour: Colour, picture: &mut Picture) {
        for line in widgets::broken(letters, text, self.width) {
            picture.text_in(letters, (self.x, self.y), line, colour);
            self.y += letters.line_height();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qr_code_of_a_link_fits_and_can_be_read_by_a_camera() {
        for link in
            ["http://127.0.0.1:4240/?lobby=K7QX2M", "https://volley.a-rather-long-name.example.org:14240/?lobby=K7QX2M"]
        {
            let qr = Modules::of(link).expect("it fits");
            for (letters, side_max, scale_min) in [(Font::Small, 190, 4), (Font::Large, 120, 2)] {
                assert!(qr.side(letters) <= side_max && qr.scale(letters) >= scale_min, "{letters:?}");
            }
            // The three squares by which it is found.
            let dark = |x: i32, y: i32| qr.dark[(y * qr.size + x) as usize];
            for (x, y) in [(3, 3), (qr.size - 4, 3), (3, qr.size - 4)] {
                assert!(dark(x, y) && dark(x - 3, y) && !dark(x - 2, y), "at {x}, {y}");
            }
        }
        assert!(Modules::of(&"x".repeat(4000)).is_none());
    }
}
