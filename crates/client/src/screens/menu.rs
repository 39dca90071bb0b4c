//! A list of lines, one of them selected: what most screens are made of.

use crate::{
    draw::{
        Font, Picture,
        widgets::{self, Area, Item},
    },
    input::Step,
};

/// A list of which one line is selected.
#[derive(Clone, Copy, Debug, Default)]
pub struct Menu {
    selected: usize,
}

/// A line of a menu.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// At the left.
    pub label: String,
    /// At the right.
    pub value: String,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This line.
    Accept(usize),
    /// The value before, or after, of this line.
    Turn(usize, i32),
    /// Back.
    Back,
}

impl Menu {
    /// Takes a step through so many lines, drawn in that place.
    pub fn step(&mut self, step: Step, lines: usize, place: Place) -> Option<Choice> {
        self.selected = self.selected.min(lines.saturating_sub(1));
        match step {
            Step::Back => return Some(Choice::Back),
            _ if lines == 0 => return None,
            Step::Up => self.selected = (self.selected + lines - 1) % lines,
            Step::Down => self.selected = (self.selected + 1) % lines,
            Step::Left => return Some(Choice::Turn(self.selected, -1)),
            Step::Right => return Some(Choice::Turn(self.selected, 1)),
            Step::Accept => return Some(Choice::Accept(self.selected)),
            // A list that does not fit would move away below the finger.
            Step::Point(..) if lines > place.fitting() => {}
            Step::Point(x, y) => self.selected = self.line_at(x, y, lines, place)?,
            Step::Tap(x, y) => {
                let Some(line) = self.line_at(x, y, lines, place) else {
                    self.scroll(y, lines, place);
                    return None;
                };
                self.selected = line;
                return Some(Choice::Accept(line));
            }
        }
        None
    }

    /// Draws the lines.
    pub fn draw(&self, lines: &[Line], place: Place, picture: &mut Picture) {
        let items: Vec<Item> =
            lines.iter().map(|line| Item { label: &line.label, value: &line.value, is_disabled: false }).collect();
        widgets::list(place.area, &items, self.selected.min(lines.len().saturating_sub(1)), picture);
    }

    /// The line at a place, as [`widgets::list`] draws them.
    fn line_at(&self, x: i32, y: i32, lines: usize, place: Place) -> Option<usize> {
        let row = usize::try_from(place.row_at(y)?).ok()?;
        let Area { x: left, width, .. } = place.area;
        let inside = (left..left + width).contains(&x) && row < place.fitting();
        Some(self.first(lines, place) + row).filter(|line| inside && *line < lines)
    }

    /// Shows more of a list that does not fit, if the place is at the arrow above or below it.
    fn scroll(&mut self, y: i32, lines: usize, place: Place) {
        let (first, fitting) = (self.first(lines, place), place.fitting());
        match place.row_at(y) {
            Some(-1) => self.selected = first.saturating_sub(fitting / 2),
            Some(row) if usize::try_from(row) == Ok(fitting) => {
                self.selected = (first + fitting + fitting / 2).min(lines - 1);
            }
            _ => {}
        }
    }

    /// The first line that is shown.
    fn first(&self, lines: usize, place: Place) -> usize {
        let fitting = place.fitting();
        self.selected.saturating_sub(fitting / 2).min(lines.saturating_sub(fitting))
    }
}

impl Place {
    /// How many lines there is room for.
    fn fitting(self) -> usize {
        usize::try_from(self.area.height / widgets::line(self.letters)).unwrap_or(0).max(1)
    }

    /// The row at that height, counted from the first that is shown.
    fn row_at(self, y: i32) -> Option<i32> {
        Some(y.checked_sub(self.area.y)?.div_euclid(widgets::line(self.letters)))
    }
}

impl Line {
    /// A line without a value.
    pub fn plain(label: &str) -> Line {
        Line { label: label.into(), value: String::new() }
    }

    /// A line with a value.
    pub fn new(label: &str, value: impl Into<String>) -> Line {
        Line { label: label.into(), value: value.into() }
    }
}

/// Where a list is, and how large its letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub area: Area,
    pub letters: Font,
}

/// The place below a panel's title.
pub fn inside(panel: Area, letters: Font) -> Place {
    let top = widgets::title_height(letters) + 7;
    let area = Area { x: panel.x + 8, y: panel.y + top, width: panel.width - 16, height: panel.height - top - 8 };
    Place { area, letters }
}

/// The value so many further on in a round.
pub fn turned<T: Copy + PartialEq>(all: &[T], now: T, by: i32) -> T {
    let index = all.iter().position(|one| *one == now).unwrap_or(0) as i32;
    all.get((index + by).rem_euclid(all.len().max(1) as i32) as usize).copied().unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: i32 = widgets::line(Font::Small);
    const AREA: Area = Area { x: 10, y: 10, width: 100, height: 3 * LINE };
    const PLACE: Place = Place { area: AREA, letters: Font::Small };

    #[test]
    fn it_goes_round_and_a_finger_chooses_what_it_touches() {
        let mut menu = Menu::default();
        assert_eq!(menu.step(Step::Up, 5, PLACE), None);
        assert_eq!(menu.step(Step::Accept, 5, PLACE), Some(Choice::Accept(4)));
        menu.step(Step::Down, 5, PLACE);
        assert_eq!(menu.step(Step::Tap(50, 10 + LINE + 3), 5, PLACE), Some(Choice::Accept(1)));
        assert_eq!(menu.step(Step::Tap(50, 200), 5, PLACE), None);
        assert_eq!(menu.step(Step::Tap(i32::MIN, i32::MIN), 5, PLACE), None);
        assert_eq!(menu.step(Step::Accept, 0, PLACE), None);
        let large = Place { area: Area { height: 200, ..AREA }, letters: Font::Large };
        let second = Step::Tap(50, 10 + widgets::line(Font::Large) + 3);
        assert_eq!(menu.step(second, 5, large), Some(Choice::Accept(1)), "lines of large letters are higher");
    }

    #[test]
    fn a_finger_points_at_lines_before_it_is_lifted() {
        let mut menu = Menu::default();
        assert_eq!(menu.step(Step::Point(50, 10 + 2 * LINE), 3, PLACE), None);
        assert_eq!(menu.step(Step::Accept, 3, PLACE), Some(Choice::Accept(2)));
        assert_eq!(menu.step(Step::Point(50, 200), 3, PLACE), None);
        assert_eq!(menu.step(Step::Accept, 3, PLACE), Some(Choice::Accept(2)), "beside the lines it points at none");
    }

    #[test]
    fn a_list_that_does_not_fit_is_turned_by_taps_at_its_arrows() {
        let mut menu = Menu::default();
        let second = Step::Tap(50, 10 + LINE);
        assert_eq!(menu.step(Step::Point(50, 10 + 2 * LINE), 9, PLACE), None, "it would move away");
        assert_eq!(menu.step(second, 9, PLACE), Some(Choice::Accept(1)));
        assert_eq!(menu.step(Step::Tap(50, 10 + 3 * LINE), 9, PLACE), None);
        assert_eq!(menu.step(second, 9, PLACE), Some(Choice::Accept(4)));
        assert_eq!(menu.step(Step::Tap(50, 9), 9, PLACE), None);
        assert_eq!(menu.step(second, 9, PLACE), Some(Choice::Accept(2)));
    }
}
