//! Practice: any stage from any checkpoint that the player has reached, with chosen arms. It is not scored.

use ::game::{
    Arms, Crystal, Difficulty, Kind, Mode, Practice as Beginning, Rules, ShipModel, Stage,
    tuning::{self, BITS_MAX, FORCE_LEVEL_MAX, SPEED_UPS_MAX},
};

use super::{
    Context, Screen, ScreenCommand, about, hints,
    lobbies::{STAGE_ROOM, stage_name, titled_stage_name},
    menu::{Choice, Menu, MenuLine, menu_entries, turned, turned_number},
    scores::difficulty_phrase,
    ship_choice::ship_phrase,
};
use crate::{
    campaign,
    draw::{Area, Picture, widgets},
    input::MenuInput,
    language::Phrase,
    settings::Settings,
};

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 110, y: 24, width: 260, height: 186 }, Area { x: 14, y: 6, width: 452, height: 212 }];

/// Where practice begins, and with what.
#[derive(Clone, Debug, Default)]
pub struct Practice {
    menu: Menu,
    /// Which stage of the campaign.
    stage: usize,
    beginning: Beginning,
}

menu_entries! {
    /// What can be chosen.
    Entry {
        Start = StartPractice, AboutStartPractice;
        Stage = Stage, AboutPracticeStage;
        Checkpoint = Checkpoint, AboutCheckpoint;
        Difficulty = Difficulty, AboutDifficulty;
        Ship = Ship, AboutPracticeShip;
        Force = ForceLevel, AboutForceLevel;
        Crystal = Crystal, AboutCrystal;
        Missiles = Missiles, AboutMissiles;
        Bits = Bits, AboutBits;
        Speed = SpeedUps, AboutSpeedUps;
        Back = Back, AboutBack;
    }
}

impl Practice {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        match self.menu.navigate(input, Entry::ALL.len(), context.list(&PANEL))? {
            Choice::Back => Some(ScreenCommand::Show(Screen::title())),
            Choice::Accept(line) => self.choose(Entry::ALL[line], 1, context),
            // Sideways nothing begins or ends.
            Choice::Turn(line, _) if matches!(Entry::ALL[line], Entry::Start | Entry::Back) => None,
            Choice::Turn(line, by) => self.choose(Entry::ALL[line], by, context),
        }
    }

    fn choose(&mut self, entry: Entry, by: i32, context: &Context) -> Option<ScreenCommand> {
        let settings = context.settings;
        let arms = &mut self.beginning.arms;
        match entry {
            Entry::Start => return Some(self.play(settings)),
            Entry::Back => return Some(ScreenCommand::Show(Screen::title())),
            Entry::Stage => {
                (self.stage, self.beginning.checkpoint) = (turned(&reached_stages(settings), self.stage, by), 0);
            }
            Entry::Checkpoint => {
                let furthest = furthest(settings, self.stage(settings));
                self.beginning.checkpoint = turned_number(self.beginning.checkpoint.min(furthest), furthest, by);
            }
            Entry::Difficulty => {
                let difficulty = turned(&Difficulty::ALL, settings.difficulty, by);
                return Some(ScreenCommand::ChangeSettings(Box::new(Settings { difficulty, ..settings.clone() })));
            }
            Entry::Ship => {
                let ship = turned(&ShipModel::ALL, settings.ship, by);
                return Some(ScreenCommand::ChangeSettings(Box::new(Settings { ship, ..settings.clone() })));
            }
            Entry::Force => arms.force_level = turned_number(arms.force_level, FORCE_LEVEL_MAX, by),
            Entry::Crystal => arms.crystal = turned(&Crystal::ALL, arms.crystal, by),
            Entry::Missiles => arms.missiles = !arms.missiles,
            Entry::Bits => arms.bits = turned_number(arms.bits, BITS_MAX as u8, by),
            Entry::Speed => arms.speed = turned_number(arms.speed, SPEED_UPS_MAX, by),
        }
        None
    }

    fn play(&self, settings: &Settings) -> ScreenCommand {
        let checkpoint = self.beginning.checkpoint.min(furthest(settings, self.stage(settings)));
        let mode = Mode::Practice(Beginning { checkpoint, ..self.beginning });
        ScreenCommand::Play {
            stage: &self.stage(settings).name,
            rules: Rules { mode, ..Rules::of(settings.difficulty) },
        }
    }

    /// The chosen stage, if the player has been there.
    fn stage(&self, settings: &Settings) -> &'static Stage {
        let index = if reached_stages(settings).contains(&self.stage) { self.stage } else { 0 };
        &campaign::stages()[index]
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), context.translate(Phrase::Practice), picture);
        let line = |entry: &Entry| MenuLine::turned(context.translate(entry.phrase()), self.value(context, *entry));
        let lines: Vec<MenuLine> = Entry::ALL.iter().map(line).collect();
        self.menu.draw(&lines, context.list(&PANEL), picture);
        about(context, Entry::ALL[self.menu.selected(Entry::ALL.len())].about(), picture);
        hints(context, picture);
    }

    fn value(&self, context: &Context, entry: Entry) -> String {
        let Arms { force_level, crystal, missiles, bits, speed } = self.beginning.arms;
        match entry {
            Entry::Start | Entry::Back => String::new(),
            Entry::Stage => titled_stage_name(context, &self.stage(context.settings).name, STAGE_ROOM),
            Entry::Checkpoint => self.summary(context).1,
            Entry::Difficulty => context.translate(difficulty_phrase(context.settings.difficulty)).into(),
            Entry::Ship => context.translate(ship_phrase(context.settings.ship)).into(),
            Entry::Force if force_level == 0 => context.translate(Phrase::NoneChosen).into(),
            Entry::Force => force_level.to_string(),
            Entry::Crystal => context.translate(crystal_phrase(crystal)).into(),
            Entry::Missiles => context.on_or_off(missiles).into(),
            Entry::Bits => bits.to_string(),
            Entry::Speed => speed.to_string(),
        }
    }

    /// Where it would begin: the stage, and the place in it.
    pub(super) fn summary(&self, context: &Context) -> (String, String) {
        let stage = self.stage(context.settings);
        let checkpoint = self.beginning.checkpoint.min(furthest(context.settings, stage));
        (stage_name(context, &stage.name), checkpoint_name(context, stage, checkpoint))
    }
}

/// The stages that the player has been to, by number. Everybody knows where the first one begins.
fn reached_stages(settings: &Settings) -> Vec<usize> {
    let stages = campaign::stages();
    let is_reached = |index: &usize| *index == 0 || settings.reached.of(&stages[*index].name).is_some();
    (0..stages.len()).filter(is_reached).collect()
}

/// The furthest checkpoint of a stage that the player has reached.
fn furthest(settings: &Settings, stage: &Stage) -> u8 {
    let last = stage.checkpoints_px.len().saturating_sub(1).min(usize::from(u8::MAX)) as u8;
    settings.reached.of(&stage.name).unwrap_or(0).min(last)
}

/// What a checkpoint is called: by its boss, or by the name that the stage has for it.
fn checkpoint_name(context: &Context, stage: &Stage, checkpoint: u8) -> String {
    let name = stage.checkpoint_names.get(usize::from(checkpoint)).map_or("", String::as_str);
    match (checkpoint, boss_at(name)) {
        (0, _) => context.translate(Phrase::Beginning).into(),
        (_, Some(boss)) => context.translate(Phrase::BossNamed).replace("{}", &context.translate(boss).to_lowercase()),
        (number, None) => format!("{number}. {}", context.settings.language.place_name(name)),
    }
}

/// The boss that a checkpoint is named after, because it waits there.
fn boss_at(name: &str) -> Option<Phrase> {
    let hull = Kind::ALL.iter().find(|kind| kind.name() == name && tuning::boss(**kind).is_some())?;
    campaign::boss_name(*hull)
}

fn crystal_phrase(crystal: Crystal) -> Phrase {
    match crystal {
        Crystal::Red => Phrase::Red,
        Crystal::Blue => Phrase::Blue,
        Crystal::Yellow => Phrase::Yellow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::french_place;

    #[test]
    fn every_checkpoint_of_our_stages_has_a_name_in_french_too() {
        for stage in campaign::stages() {
            for name in &stage.checkpoint_names[1..] {
                assert!(boss_at(name).is_some() || french_place(name).is_some(), "{}: {name}", stage.name);
            }
        }
        assert_eq!(boss_at("keeper"), Some(Phrase::BossKeeper));
    }
}
