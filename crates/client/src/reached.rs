//! How far the player has come in each stage: from there practice may begin.

use std::collections::BTreeMap;

/// The most stages that are kept; no host has as many.
const STAGES_MAX: usize = 64;

/// The furthest checkpoint that the player reached, by the name of the stage. 0 is the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached(BTreeMap<String, u8>);

impl Reached {
    /// The furthest checkpoint of a stage; none if the player was never there.
    pub fn of(&self, stage: &str) -> Option<u8> {
        self.0.get(stage).copied()
    }

    /// The player is at a checkpoint. Returns whether that is further than before.
    pub fn note(&mut self, stage: &str, checkpoint: u8) -> bool {
        let is_new = match self.of(stage) {
            Some(before) => before < checkpoint,
            // What cannot be read back is not written.
            None => self.0.len() < STAGES_MAX && !stage.is_empty() && !stage.contains([' ', ':', '\n']),
        };
        if is_new {
            self.0.insert(stage.into(), checkpoint);
        }
        is_new
    }

    /// Reads what [`Reached::write`] wrote; what cannot be understood is left out.
    pub fn read(text: &str) -> Reached {
        let mut reached = Reached::default();
        for (stage, checkpoint) in text.split_whitespace().filter_map(|part| part.split_once(':')) {
            if let Ok(checkpoint) = checkpoint.parse() {
                reached.note(stage, checkpoint);
            }
        }
        reached
    }

    /// As text, such as `stage1:3 stage2:0`.
    pub fn write(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(|(stage, checkpoint)| format!("{stage}:{checkpoint}")).collect();
        parts.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_furthest_checkpoint_counts_and_is_read_back() {
        let mut reached = Reached::default();
        assert_eq!(reached.of("stage1"), None);
        assert!(reached.note("stage1", 0) && reached.note("stage1", 3) && !reached.note("stage1", 2));
        assert!(reached.note("stage2", 0));
        assert_eq!(reached.write(), "stage1:3 stage2:0");
        assert_eq!(Reached::read(&reached.write()), reached);
    }

    #[test]
    fn nonsense_is_left_out() {
        assert_eq!(Reached::read("stage1 :3 stage2:x stage3:999 stage4:1:2 : stage5:5").write(), "stage5:5");
        assert!(!Reached::default().note("a b", 1));
        let many = (0..1_000).map(|number| format!("s{number}:1 ")).collect::<String>();
        assert_eq!(Reached::read(&many).0.len(), STAGES_MAX);
    }
}
