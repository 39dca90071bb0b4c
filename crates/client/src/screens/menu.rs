//! A list of lines, one of them selected: most screens consist of one.

use crate::{
    draw::{
        Area, Font, Picture,
        widgets::{self, Item},
    },
    input::MenuInput,
};

/// Declares the entries of a menu: the enum, all of them in order, what each is called, and what it does.
macro_rules! menu_entries {
    ($(#[$doc:meta])+ $name:ident { $($entry:ident = $phrase:ident, $about:ident;)+ }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum $name { $($entry,)+ }

        impl $name {
            const ALL: &'static [$name] = &[$($name::$entry,)+];

            const fn phrase(self) -> Phrase {
                match self { $($name::$entry => Phrase::$phrase,)+ }
            }

            const fn about(self) -> Phrase {
                match self { $($name::$entry => Phrase::$about,)+ }
            }
        }
    };
}
pub(super) use menu_entries;

/// Between two columns: the value at the end of one is not read with the label of the next.
const COLUMN_GAP: i32 = 8;

/// A list of which one line is selected.
#[derive(Clone, Copy, Debug, Default)]
pub struct Menu {
    selected: usize,
}

/// What can be chosen, with its value.
#[derive(Clone, Debug, Default)]
pub struct MenuLine {
    /// At the left.
    pub label: String,
    /// At the right.
    pub value: String,
    /// Whether the left and right arrows change the value.
    pub is_turned: bool,
}

/// What the player chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The entry of this line.
    Accept(usize),
    /// The previous (−1) or the next (1) value of this line.
    Turn(usize, i32),
    /// To leave the menu.
    Back,
}

impl Menu {
    /// Moves through the lines of a menu, drawn in that area.
    pub fn navigate(&mut self, input: MenuInput, lines: usize, area: ListArea) -> Option<Choice> {
        self.selected = self.selected.min(lines.saturating_sub(1));
        match input {
            MenuInput::Back => return Some(Choice::Back),
            _ if lines == 0 => return None,
            MenuInput::Up => self.selected = (self.selected + lines - 1) % lines,
            MenuInput::Down => self.selected = (self.selected + 1) % lines,
            MenuInput::Left | MenuInput::Right if area.columns > 1 => self.change_column(lines, area),
            MenuInput::Left => return Some(Choice::Turn(self.selected, -1)),
            MenuInput::Right => return Some(Choice::Turn(self.selected, 1)),
            MenuInput::Accept => return Some(Choice::Accept(self.selected)),
            // A list that does not fit would move away below the finger.
            MenuInput::Point(..) if area.rows(lines) > area.fitting() => {}
            MenuInput::Point(x, y) => self.selected = self.line_at((x, y), lines, area)?,
            MenuInput::Tap(x, y) => {
                let Some(line) = self.line_at((x, y), lines, area) else {
                    self.scroll(y, lines, area);
                    return None;
                };
                self.selected = line;
                return Some(Choice::Accept(line));
            }
        }
        None
    }

    /// Selects a line.
    pub fn select(&mut self, line: usize) {
        self.selected = line;
    }

    /// Which of its lines is selected.
    pub fn selected(&self, lines: usize) -> usize {
        self.selected.min(lines.saturating_sub(1))
    }

    pub fn draw(&self, lines: &[MenuLine], area: ListArea, picture: &mut Picture) {
        let items = items(lines);
        let (rows, selected) = (area.rows(lines.len()), self.selected(lines.len()));
        for (column, items) in items.chunks(rows).enumerate() {
            // In a column without the cursor, nothing is selected.
            let selected = selected.checked_sub(column * rows).unwrap_or(usize::MAX);
            widgets::list(area.column(column), items, selected, picture);
        }
    }

    /// Draws a list while the cursor is elsewhere.
    pub fn draw_unselected(lines: &[MenuLine], area: ListArea, picture: &mut Picture) {
        for (column, items) in items(lines).chunks(area.rows(lines.len())).enumerate() {
            widgets::list(area.column(column), items, usize::MAX, picture);
        }
    }

    /// To the same line of the next column.
    fn change_column(&mut self, lines: usize, area: ListArea) {
        let rows = area.rows(lines);
        let next = self.selected + rows;
        self.selected = if next < lines || self.selected < rows { next.min(lines - 1) } else { self.selected % rows };
    }

    /// The line at a point, as [`widgets::list`] draws them.
    fn line_at(&self, (x, y): (i32, i32), lines: usize, area: ListArea) -> Option<usize> {
        let row = usize::try_from(area.row_at(y)?).ok()?;
        let is_in = |column: &usize| {
            let Area { x: left, width, .. } = area.column(*column);
            (left..left + width).contains(&x)
        };
        let column = (0..area.columns).find(is_in)?;
        let inside = row < area.fitting().min(area.rows(lines));
        Some(self.first(lines, area) + row + column * area.rows(lines)).filter(|line| inside && *line < lines)
    }

    /// Shows more of a list that does not fit, if the point is at the arrow above or below it.
    fn scroll(&mut self, y: i32, lines: usize, area: ListArea) {
        let (first, fitting) = (self.first(lines, area), area.fitting());
        match area.row_at(y) {
            Some(-1) => self.selected = first.saturating_sub(fitting / 2),
            Some(row) if usize::try_from(row) == Ok(fitting) => {
                self.selected = (first + fitting + fitting / 2).min(lines - 1);
            }
            _ => {}
        }
    }

    /// The first line that is shown.
    fn first(&self, lines: usize, area: ListArea) -> usize {
        let fitting = area.fitting();
        self.selected.saturating_sub(fitting / 2).min(area.rows(lines).saturating_sub(fitting))
    }
}

fn items(lines: &[MenuLine]) -> Vec<Item<'_>> {
    lines.iter().map(MenuLine::item).collect()
}

impl ListArea {
    /// The same, with its lines in columns. All of them must fit.
    pub fn in_columns(self, columns: usize) -> ListArea {
        ListArea { columns, ..self }
    }

    /// How many of all its lines are in the first column.
    fn rows(self, lines: usize) -> usize {
        lines.div_ceil(self.columns).max(1)
    }

    /// Where one of its columns is.
    pub(super) fn column(self, column: usize) -> Area {
        let gaps = COLUMN_GAP * (self.columns as i32 - 1);
        let width = (self.area.width - gaps) / self.columns as i32;
        Area { x: self.area.x + (width + COLUMN_GAP) * column as i32, width, ..self.area }
    }

    /// How many lines fit.
    fn fitting(self) -> usize {
        usize::try_from(self.area.height / widgets::line(self.letters)).unwrap_or(0).max(1)
    }

    /// The row at that height, counted from the first that is shown.
    fn row_at(self, y: i32) -> Option<i32> {
        Some(y.checked_sub(self.area.y)?.div_euclid(widgets::line(self.letters)))
    }
}

impl MenuLine {
    /// A line without a value.
    pub fn plain(label: &str) -> MenuLine {
        MenuLine { label: label.into(), ..MenuLine::default() }
    }

    /// A line with a value.
    pub fn new(label: &str, value: impl Into<String>) -> MenuLine {
        MenuLine { label: label.into(), value: value.into(), is_turned: false }
    }

    /// A line whose value the left and right arrows change, if it has one.
    pub fn turned(label: &str, value: impl Into<String>) -> MenuLine {
        let value = value.into();
        MenuLine { label: label.into(), is_turned: !value.is_empty(), value }
    }

    fn item(&self) -> Item<'_> {
        Item { label: &self.label, value: &self.value, is_turned: self.is_turned, is_disabled: false }
    }
}

/// Where a list is drawn, and the size of its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListArea {
    pub area: Area,
    pub letters: Font,
    /// 1 or more.
    pub columns: usize,
}

/// The area below a panel's title.
pub fn inside(panel: Area, letters: Font) -> ListArea {
    let top = widgets::title_height(letters) + 7;
    let area = Area { x: panel.x + 8, y: panel.y + top, width: panel.width - 16, height: panel.height - top - 8 };
    ListArea { area, letters, columns: 1 }
}

/// The value `by` places further on; after the last comes the first.
pub fn turned<T: Copy + PartialEq>(all: &[T], now: T, by: i32) -> T {
    let index = all.iter().position(|one| *one == now).unwrap_or(0) as i32;
    all.get((index + by).rem_euclid(all.len().max(1) as i32) as usize).copied().unwrap_or(now)
}

/// A number from 0 to the most; after the most comes 0.
pub fn turned_number(number: u8, most: u8, by: i32) -> u8 {
    (i32::from(number) + by).rem_euclid(i32::from(most) + 1) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: i32 = widgets::line(Font::Small);
    const AREA: Area = Area { x: 10, y: 10, width: 100, height: 3 * LINE };
    const LIST: ListArea = ListArea { area: AREA, letters: Font::Small, columns: 1 };

    #[test]
    fn the_selection_wraps_and_a_finger_chooses_what_it_touches() {
        let mut menu = Menu::default();
        assert_eq!(menu.navigate(MenuInput::Up, 5, LIST), None);
        assert_eq!(menu.navigate(MenuInput::Accept, 5, LIST), Some(Choice::Accept(4)));
        menu.navigate(MenuInput::Down, 5, LIST);
        assert_eq!(menu.navigate(MenuInput::Tap(50, 10 + LINE + 3), 5, LIST), Some(Choice::Accept(1)));
        assert_eq!(menu.navigate(MenuInput::Tap(50, 200), 5, LIST), None);
        assert_eq!(menu.navigate(MenuInput::Tap(i32::MIN, i32::MIN), 5, LIST), None);
        assert_eq!(menu.navigate(MenuInput::Accept, 0, LIST), None);
        let large = ListArea { area: Area { height: 200, ..AREA }, letters: Font::Large, columns: 1 };
        let second = MenuInput::Tap(50, 10 + widgets::line(Font::Large) + 3);
        assert_eq!(menu.navigate(second, 5, large), Some(Choice::Accept(1)), "lines of large letters are taller");
    }

    #[test]
    fn a_finger_selects_a_line_before_it_is_lifted() {
        let mut menu = Menu::default();
        assert_eq!(menu.navigate(MenuInput::Point(50, 10 + 2 * LINE), 3, LIST), None);
        assert_eq!(menu.navigate(MenuInput::Accept, 3, LIST), Some(Choice::Accept(2)));
        assert_eq!(menu.navigate(MenuInput::Point(50, 200), 3, LIST), None);
        assert_eq!(
            menu.navigate(MenuInput::Accept, 3, LIST),
            Some(Choice::Accept(2)),
            "beside the lines it selects nothing"
        );
    }

    #[test]
    fn two_columns_are_crossed_sideways_and_touched_where_they_are() {
        let grid = LIST.in_columns(2);
        let mut menu = Menu::default();
        let mut after = |inputs: &[MenuInput]| {
            inputs.iter().for_each(|input| assert_eq!(menu.navigate(*input, 5, grid), None, "nothing is turned"));
            menu.selected(5)
        };
        assert_eq!(after(&[MenuInput::Right]), 3);
        assert_eq!(after(&[MenuInput::Left]), 0);
        assert_eq!(after(&[MenuInput::Down, MenuInput::Down, MenuInput::Right]), 4, "the last line is the nearest");
        assert_eq!(after(&[MenuInput::Down]), 0);
        assert_eq!(menu.navigate(MenuInput::Tap(90, 10 + LINE), 5, grid), Some(Choice::Accept(4)));
        assert_eq!(menu.navigate(MenuInput::Tap(90, 10 + 2 * LINE), 5, grid), None, "there is none");
    }

    #[test]
    fn taps_on_the_arrows_scroll_a_list_that_does_not_fit() {
        let mut menu = Menu::default();
        let second = MenuInput::Tap(50, 10 + LINE);
        assert_eq!(menu.navigate(MenuInput::Point(50, 10 + 2 * LINE), 9, LIST), None, "it would move away");
        assert_eq!(menu.navigate(second, 9, LIST), Some(Choice::Accept(1)));
        assert_eq!(menu.navigate(MenuInput::Tap(50, 10 + 3 * LINE), 9, LIST), None);
        assert_eq!(menu.navigate(second, 9, LIST), Some(Choice::Accept(4)));
        assert_eq!(menu.navigate(MenuInput::Tap(50, 9), 9, LIST), None);
        assert_eq!(menu.navigate(second, 9, LIST), Some(Choice::Accept(2)));
    }
}
