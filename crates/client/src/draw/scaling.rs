//! How large the picture is on a screen: one rule for all shells.

use super::picture::Picture;

/// A whole number of pixels is good enough if the picture fills this share of the side that limits it.
const FILLED_MIN: f64 = 0.8;

/// How the picture is fitted into a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scaling {
    /// By a whole number where that nearly fills the window, otherwise as large as fits.
    #[default]
    Auto,
    /// By a whole number: every pixel is a square of the same size.
    Whole,
    /// As large as fits.
    Fill,
}

impl Scaling {
    pub const ALL: [Scaling; 3] = [Scaling::Auto, Scaling::Whole, Scaling::Fill];

    /// Its stable name, for settings.
    pub const fn name(self) -> &'static str {
        match self {
            Scaling::Auto => "auto",
            Scaling::Whole => "whole",
            Scaling::Fill => "fill",
        }
    }

    pub fn from_name(name: &str) -> Option<Scaling> {
        Scaling::ALL.into_iter().find(|scaling| scaling.name() == name)
    }

    /// How many pixels of a screen one of the picture is, in a window of that size. Below 1 if the window is smaller than the
    /// picture, and 0 if there is none.
    pub fn factor(self, width: f64, height: f64) -> f64 {
        let fitting = (width / f64::from(Picture::WIDTH)).min(height / f64::from(Picture::HEIGHT));
        let (fitting, whole) = (fitting.max(0.0), fitting.floor());
        match self {
            _ if whole < 1.0 => fitting,
            Scaling::Whole => whole,
            Scaling::Auto if whole >= FILLED_MIN * fitting => whole,
            Scaling::Auto | Scaling::Fill => fitting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_taken_where_it_nearly_fills_the_window() {
        let factor = |width, height| Scaling::Auto.factor(width, height);
        assert_eq!(factor(1920.0, 1080.0), 4.0);
        assert_eq!(factor(1920.0, 970.0), 3.0, "a browser's bars leave 3.59: 3 fill 84 %");
        assert_eq!(factor(1366.0, 768.0), 768.0 / 270.0, "2 of 2.84 would fill only 70 %");
        assert_eq!(factor(844.0, 390.0), 390.0 / 270.0);
        assert_eq!(factor(400.0, 800.0), 400.0 / 480.0, "a small window shows all of it, smaller");
        assert_eq!(factor(0.0, -5.0), 0.0);
        assert!(factor(f64::NAN, 300.0) >= 0.0);
    }

    #[test]
    fn the_player_may_choose() {
        assert_eq!(Scaling::Whole.factor(1366.0, 768.0), 2.0);
        assert_eq!(Scaling::Fill.factor(1920.0, 970.0), 970.0 / 270.0);
        assert!(Scaling::ALL.iter().all(|scaling| Scaling::from_name(scaling.name()) == Some(*scaling)));
    }
}
