//! Refuses files that would be dangerous to hand to the `tiled` crate, in one pass over the XML.
//!
//! That crate allocates by a tileset's `tilecount`, unpacks compressed layers without limit, recurses as deep as the
//! file nests, and indexes tile data by a layer's `width` and `height` whether or not there is that much of it. It compares
//! each attribute of an element with all others. The check sees exactly the events that the crate will see, for it reads
//! with the same parser in the same settings.

mod attributes;

use std::io::BufReader;

use attributes::Attributes;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{
    FILE_BYTES_MAX,
    error::{Location, StageError, foreign, quoted, short},
};

/// Elements within elements.
const DEPTH_MAX: usize = 16;
/// Elements in a file.
const ELEMENTS_MAX: usize = 1 << 15;

const TILE_FORMAT: &str = "tile data must be CSV: set Map > Map Properties > Tile Layer Format to CSV";

/// Refuses what is too large, too deep or of a form that stages do not use.
pub(super) fn check(file: Location, bytes: &[u8]) -> Result<(), StageError> {
    if bytes.len() > FILE_BYTES_MAX {
        return Err(file.refuse(format!("{} bytes are too many; a stage has at most {FILE_BYTES_MAX}", bytes.len())));
    }
    if std::str::from_utf8(bytes).is_err() {
        return Err(file.refuse("this is not text in UTF-8, so it is not a Tiled map"));
    }
    let mut reader = Reader::from_reader(BufReader::new(bytes));
    let mut checker = Checker { file, open: Vec::new(), elements: 0, tilesets: 0 };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => return Ok(()),
            Ok(event) => checker.pass(&event)?,
            Err(error) => return Err(broken_xml(file, bytes, reader.buffer_position(), &error)),
        }
    }
}

fn broken_xml(file: Location, bytes: &[u8], position: usize, error: &quick_xml::Error) -> StageError {
    let read = &bytes[..position.min(bytes.len())];
    let line = 1 + read.iter().filter(|&&byte| byte == b'\n').count();
    file.object(&format!("line {line}")).refuse(format!("this is not well-formed XML: {}", foreign(error)))
}

struct Checker<'a> {
    file: Location<'a>,
    /// The elements that are open, from the root inwards.
    open: Vec<Open>,
    elements: usize,
    tilesets: usize,
}

/// What is remembered of an open element.
struct Open {
    layer: Option<String>,
    object: Option<String>,
    tag: Tag,
}

enum Tag {
    /// A tile layer, and how many tiles it says it has.
    Layer {
        tiles: u64,
    },
    /// The data of such a layer, and how many tiles were found in it.
    Data {
        tiles: u64,
        found: u64,
    },
    Other,
}

impl Checker<'_> {
    fn pass(&mut self, event: &Event) -> Result<(), StageError> {
        match event {
            Event::Start(tag) => {
                let open = self.enter(tag)?;
                self.open.push(open);
                if self.open.len() > DEPTH_MAX {
                    return Err(self.refuse(format!("elements are nested more than {DEPTH_MAX} deep")));
                }
                Ok(())
            }
            Event::Empty(tag) => {
                let open = self.enter(tag)?;
                self.leave(&open)
            }
            Event::End(_) => match self.open.pop() {
                Some(open) => self.leave(&open),
                None => Ok(()),
            },
            Event::Text(text) => self.text(text),
            Event::DocType(_) => Err(self.refuse("a document type is not allowed in a stage".into())),
            _ => self.nothing_in_data(),
        }
    }

    fn enter(&mut self, tag: &BytesStart) -> Result<Open, StageError> {
        self.nothing_in_data()?;
        self.elements += 1;
        if self.elements > ELEMENTS_MAX {
            return Err(self.refuse(format!("there are more than {ELEMENTS_MAX} elements")));
        }
        let attributes = Attributes::read(tag).map_err(|reason| self.refuse(reason))?;
        let (layer, object) = self.names(tag, &attributes);
        let kind = self.tag(tag, &attributes).map_err(|reason| located(self.file, &layer, &object, reason))?;
        Ok(Open { layer, object, tag: kind })
    }

    /// The layer and object that an element is, or is in.
    fn names(&self, tag: &BytesStart, attributes: &Attributes) -> (Option<String>, Option<String>) {
        let parent = self.open.last();
        let mut layer = parent.and_then(|open| open.layer.clone());
        let mut object = parent.and_then(|open| open.object.clone());
        match tag.local_name().as_ref() {
            b"layer" | b"objectgroup" | b"imagelayer" | b"group" => layer = attributes.last("name").map(short),
            b"object" => object = Some(attributes.object()),
            b"property" => {
                let property = format!("property {}", quoted(attributes.last("name").unwrap_or_default()));
                object = Some(object.map_or(property.clone(), |object| format!("{object}, {property}")));
            }
            _ => {}
        }
        (layer, object)
    }

    fn tag(&mut self, tag: &BytesStart, attributes: &Attributes) -> Result<Tag, String> {
        match tag.local_name().as_ref() {
            b"map" => attributes.map(),
            b"tileset" => {
                self.tilesets += 1;
                attributes.tileset(self.tilesets)
            }
            b"object" => attributes.no_template(),
            b"layer" => attributes.layer(),
            b"data" => match self.open.last() {
                Some(Open { tag: Tag::Layer { tiles }, .. }) => attributes.data(*tiles),
                _ => Ok(Tag::Other),
            },
            _ => Ok(Tag::Other),
        }
    }

    fn leave(&self, open: &Open) -> Result<(), StageError> {
        match open.tag {
            Tag::Data { tiles, found } if tiles != found => {
                let reason = format!("it says it has {tiles} tiles but there are {found}");
                Err(located(self.file, &open.layer, &open.object, reason))
            }
            _ => Ok(()),
        }
    }

    /// Text counts only where it is tile data; there it is counted with care, for the parser indexes by its length.
    fn text(&mut self, text: &[u8]) -> Result<(), StageError> {
        let Some(Open { tag: Tag::Data { found, .. }, .. }) = self.open.last_mut() else { return Ok(()) };
        if *found > 0 {
            return Err(self.refuse(TILE_FORMAT.into()));
        }
        *found = 1 + text.iter().filter(|&&byte| byte == b',').count() as u64;
        match text.split(|&byte| byte == b',').find(|value| !is_tile(value)) {
            Some(value) => {
                let value = quoted(String::from_utf8_lossy(value).trim());
                Err(self.refuse(format!("tile data {value} is not the number of a tile")))
            }
            None => Ok(()),
        }
    }

    fn nothing_in_data(&self) -> Result<(), StageError> {
        match self.open.last() {
            Some(Open { tag: Tag::Data { .. }, .. }) => Err(self.refuse(TILE_FORMAT.into())),
            _ => Ok(()),
        }
    }

    fn refuse(&self, reason: String) -> StageError {
        match self.open.last() {
            Some(open) => located(self.file, &open.layer, &open.object, reason),
            None => self.file.refuse(reason),
        }
    }
}

fn located(file: Location, layer: &Option<String>, object: &Option<String>, reason: String) -> StageError {
    StageError { layer: layer.clone(), object: object.clone(), ..file.refuse(reason) }
}

fn is_tile(value: &[u8]) -> bool {
    std::str::from_utf8(value).is_ok_and(|value| value.trim().parse::<u32>().is_ok())
}
