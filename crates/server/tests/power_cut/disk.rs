//! A disk that loses power: what was synced is there, and of what was written since, any part may be.

use std::collections::BTreeMap;

use crate::recording_vfs::Event;

/// What a disk writes whole or not at all.
const SECTOR: usize = 512;
/// How many different parts of what was not synced are tried.
const SAMPLES: u64 = 3;

/// The files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

#[derive(Default)]
pub struct Disk {
    /// What is certainly there.
    synced: Files,
    /// What may be there, in order.
    unsynced: Vec<Event>,
}

impl Disk {
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Sync { file } => {
                // The first sync of a new file is also one of its directory.
                if !self.synced.contains_key(file) {
                    self.apply_deletions();
                }
                let (of_file, others) =
                    std::mem::take(&mut self.unsynced).into_iter().partition(|event| file_of(event) == Some(file));
                self.unsynced = others;
                let of_file: Vec<Event> = of_file;
                self.synced.entry(file.clone()).or_default();
                of_file.iter().for_each(|event| apply(&mut self.synced, event));
            }
            event => self.unsynced.push(event.clone()),
        }
    }

    fn apply_deletions(&mut self) {
        let is_deletion = |event: &Event| matches!(event, Event::Delete { .. });
        for deletion in self.unsynced.iter().filter(|event| is_deletion(event)) {
            apply(&mut self.synced, deletion);
        }
        // What was written to a file before it was deleted is gone with it.
        let deleted = self.unsynced.iter().rposition(is_deletion);
        if let Some(last) = deleted {
            let before: Vec<Event> = self.unsynced.drain(..=last).collect();
            let names: Vec<&String> = before.iter().filter(|event| is_deletion(event)).filter_map(file_of).collect();
            let others = before.iter().filter(|event| file_of(event).is_some_and(|file| !names.contains(&file)));
            self.unsynced = others.cloned().chain(std::mem::take(&mut self.unsynced)).collect();
        }
    }

    /// What may be on the disk if the power fails now: nothing of what was not synced, all of it, and some samples.
    pub fn after_power_cut(&self, seed: u64) -> Vec<Files> {
        let all = |_: usize| Some(usize::MAX);
        let none = |_: usize| None;
        let mut variants = vec![self.with(none), self.with(all)];
        for sample in 0..SAMPLES {
            let chance = |index: usize| mix(seed * SAMPLES + sample, index as u64);
            // Half of the changes are there, and of those every fourth is torn.
            variants.push(self.with(|index| match chance(index) % 8 {
                0..4 => None,
                4 => Some(chance(index + 1000) as usize % 16 * SECTOR),
                _ => Some(usize::MAX),
            }));
        }
        variants
    }

    /// With this many bytes of each change that was not synced, or nothing of it.
    fn with(&self, part: impl Fn(usize) -> Option<usize>) -> Files {
        let mut files = self.synced.clone();
        for (index, event) in self.unsynced.iter().enumerate() {
            match (part(index), event) {
                (None, _) => {}
                (Some(most), Event::Write { file, offset, bytes }) => {
                    let bytes = bytes[..bytes.len().min(most)].to_vec();
                    apply(&mut files, &Event::Write { file: file.clone(), offset: *offset, bytes });
                }
                (Some(_), event) => apply(&mut files, event),
            }
        }
        files
    }
}

fn file_of(event: &Event) -> Option<&String> {
    match event {
        Event::Write { file, .. } | Event::Truncate { file, .. } | Event::Sync { file } | Event::Delete { file } => {
            Some(file)
        }
        Event::Shown(_) => None,
    }
}

fn apply(files: &mut Files, event: &Event) {
    match event {
        Event::Write { file, offset, bytes } => {
            let content = files.entry(file.clone()).or_default();
            let end = offset + bytes.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            content[*offset..end].copy_from_slice(bytes);
        }
        Event::Truncate { file, length } => files.entry(file.clone()).or_default().resize(*length, 0),
        Event::Delete { file } => drop(files.remove(file)),
        Event::Sync { .. } | Event::Shown(_) => {}
    }
}

/// A number that looks random.
fn mix(seed: u64, index: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03);
    state ^= state >> 29;
    state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state ^ state >> 32
}
