//! Hands the one file to the `tiled` crate, and nothing else, so that `game` opens no file.

use std::{
    cell::Cell,
    io::{self, Read},
    path::Path,
    rc::Rc,
};

use tiled::{Loader, Map, ResourceReader};

use super::error::{Location, StageError, foreign};

/// What the parser calls the file; the user's name may not be a path at all.
const PATH: &str = "stage.tmx";

/// Parses the map. Errors of the parser do not say where, so they are given the line that it had come to.
pub(super) fn parse(file: Location, bytes: &[u8]) -> Result<Map, StageError> {
    let line = Rc::new(Cell::new(0));
    let source = OneFile { bytes: Some(bytes), line: line.clone() };
    Loader::with_reader(source)
        .load_tmx_map(PATH)
        .map_err(|error| file.object(&format!("line {}", line.get().max(1))).refuse(foreign(&error)))
}

struct OneFile<'a> {
    /// Taken when it is first read.
    bytes: Option<&'a [u8]>,
    line: Rc<Cell<usize>>,
}

impl<'a> ResourceReader for OneFile<'a> {
    type Resource = Lines<'a>;
    type Error = io::Error;

    fn read_from(&mut self, _: &Path) -> io::Result<Lines<'a>> {
        let rest = self.bytes.take().ok_or_else(|| io::Error::other("a stage is one file; embed the tileset"))?;
        Ok(Lines { rest, at_start: true, line: self.line.clone() })
    }
}

/// Reads line by line, so that it is known at which one the parser stopped.
struct Lines<'a> {
    rest: &'a [u8],
    at_start: bool,
    line: Rc<Cell<usize>>,
}

impl Read for Lines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let reach = &self.rest[..self.rest.len().min(buffer.len())];
        let newline = reach.iter().position(|&byte| byte == b'\n');
        let length = newline.map_or(reach.len(), |position| position + 1);
        if self.at_start && length > 0 {
            self.line.set(self.line.get() + 1);
        }
        self.at_start = newline.is_some();
        buffer[..length].copy_from_slice(&self.rest[..length]);
        self.rest = &self.rest[length..];
        Ok(length)
    }
}
