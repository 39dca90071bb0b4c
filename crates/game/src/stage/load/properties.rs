//! Custom properties: each is asked for by name and type, and one that nobody asks for is a typo.

use std::ops::RangeInclusive;

use tiled::{Properties, PropertyValue};

use super::error::{Location, StageError, list, quoted};

/// The custom properties of a map, a layer or an object.
pub(super) struct Fields<'a> {
    location: Location<'a>,
    /// What comes in front of a property's name; empty for the map itself.
    prefix: &'a str,
    properties: &'a Properties,
}

impl<'a> Fields<'a> {
    /// Refuses every property that is not `known`.
    pub fn read(
        location: Location<'a>,
        prefix: &'a str,
        properties: &'a Properties,
        known: &[&str],
    ) -> Result<Fields<'a>, StageError> {
        let fields = Fields { location, prefix, properties };
        // The smallest, because a hash map has no order of its own.
        match properties.keys().filter(|name| !known.contains(&name.as_str())).min() {
            Some(name) if known.is_empty() => Err(fields.refuse(name, "no property is allowed here".into())),
            Some(name) => {
                Err(fields.refuse(name, format!("the property is unknown; known are {}", list(known.iter().copied()))))
            }
            None => Ok(fields),
        }
    }

    pub fn text(&self, name: &str) -> Result<Option<&'a str>, StageError> {
        match self.properties.get(name) {
            None => Ok(None),
            Some(PropertyValue::StringValue(text)) => Ok(Some(text)),
            Some(_) => Err(self.refuse(name, "it must be of the type string".into())),
        }
    }

    pub fn flag(&self, name: &str) -> Result<bool, StageError> {
        match self.properties.get(name) {
            None => Ok(false),
            Some(PropertyValue::BoolValue(flag)) => Ok(*flag),
            Some(_) => Err(self.refuse(name, "it must be of the type bool".into())),
        }
    }

    pub fn whole(&self, name: &str, range: RangeInclusive<i32>) -> Result<Option<i32>, StageError> {
        match self.properties.get(name) {
            None => Ok(None),
            Some(PropertyValue::IntValue(number)) if range.contains(number) => Ok(Some(*number)),
            Some(PropertyValue::IntValue(number)) => {
                Err(self.refuse(name, format!("{number} is not within {} to {}", range.start(), range.end())))
            }
            Some(_) => Err(self.refuse(name, "it must be of the type int".into())),
        }
    }

    /// An error about the property `name`.
    pub fn refuse(&self, name: &str, reason: String) -> StageError {
        let property = format!("property {}", quoted(name));
        match self.prefix {
            "" => self.location.object(&property).refuse(reason),
            prefix => self.location.object(&format!("{prefix}, {property}")).refuse(reason),
        }
    }

    /// The error that the property `name` is missing.
    pub fn missing(&self, name: &str, kind: &str) -> StageError {
        self.refuse(name, format!("the property is missing; it must be of the type {kind}"))
    }
}
