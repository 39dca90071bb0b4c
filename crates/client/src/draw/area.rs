//! A rectangle of the picture: what is filled, framed, darkened, or where a part of a screen is.

use super::picture::Picture;

/// A rectangle of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

impl Area {
    pub const fn new(x: i32, y: i32, width: i32, height: i32) -> Area {
        Area { x, y, width, height }
    }

    /// A rectangle of that size in the middle of the picture.
    pub const fn centred(width: i32, height: i32) -> Area {
        Area { x: (Picture::WIDTH - width) / 2, y: (Picture::HEIGHT - height) / 2, width, height }
    }

    /// Whether a point is inside.
    pub fn contains(self, (x, y): (i32, i32)) -> bool {
        let Area { x: left, y: top, width, height } = self;
        (left..left.saturating_add(width)).contains(&x) && (top..top.saturating_add(height)).contains(&y)
    }

    /// The same, moved to the right by this much.
    #[must_use]
    pub const fn right_by(self, pixels: i32) -> Area {
        Area { x: self.x + pixels, ..self }
    }
}
