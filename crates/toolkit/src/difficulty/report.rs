//! What many games say of how hard the game is, as tables for a terminal.

use std::{collections::BTreeMap, fmt, sync::Arc};

use game::{FIELD_WIDTH_PX, Kind, Stage, units::TICKS_PER_SECOND};

use super::{
    PlayedGame, Setting, StageRun,
    spots::{self, Screen},
};

/// Parts of a stage for which survival is printed, in percent of its way.
const MARKS_PERCENT: [u32; 10] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
/// Minutes for which survival in an endless stage is printed.
const MARKS_MINUTES: [u32; 10] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15];

/// How far outside the field things come into being, at most.
const SPAWN_MARGIN_PX: u32 = 16;
const TICKS_PER_MINUTE: u32 = 60 * TICKS_PER_SECOND as u32;

/// What became of all games.
#[derive(Clone, Debug)]
pub struct Report {
    pub stages: Vec<Arc<Stage>>,
    pub players: usize,
    pub is_cut_short: bool,
    pub trials: Vec<(Setting, Vec<PlayedGame>)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_summary(f)?;
        for (setting, trials) in self.trials.iter().filter(|(_, trials)| !trials.is_empty()) {
            let (difficulty, skill) = (setting.difficulty.name(), setting.skill.name());
            let through = trials.iter().filter(|trial| !trial.is_lost).count();
            writeln!(
                f,
                "{difficulty}, {} {skill} bots, {} games: {} through to the end",
                self.players,
                trials.len(),
                percent(through, trials.len())
            )?;
            for (index, stage) in self.stages.iter().enumerate() {
                let runs: Vec<&StageRun> = trials.iter().filter_map(|trial| trial.stages.get(index)).collect();
                if !runs.is_empty() {
                    write_stage(f, stage, &runs, trials.len())?;
                }
            }
            if self.stages.iter().any(|stage| !stage.endless) {
                writeln!(f, "  verdict  {}", self.verdict(trials))?;
            }
            writeln!(f)?;
        }
        if self.is_cut_short { writeln!(f, "interrupted: not all games were played") } else { Ok(()) }
    }
}

impl Report {
    /// Whether some place kills far more often than those beside it.
    fn verdict(&self, trials: &[PlayedGame]) -> String {
        let mut named = Vec::new();
        for (index, stage) in self.stages.iter().enumerate().filter(|(_, stage)| !stage.endless) {
            let runs: Vec<&StageRun> = trials.iter().filter_map(|trial| trial.stages.get(index)).collect();
            let spots = spots::spots(&spots::screens(stage, &runs));
            named.extend(spots.iter().map(|spot| format!("{} at {spot}", stage.name)));
        }
        if named.is_empty() {
            return "no screen kills three times as often as the screens beside it".into();
        }
        format!("these kill three times as often as the screens beside them: {}", named.join("; "))
    }

    /// A line for each kind of game: how many of all games won each stage.
    fn write_summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<10} {:<7} {:>5}", "difficulty", "bots", "games")?;
        for stage in self.stages.iter().filter(|stage| !stage.endless) {
            write!(f, " {:>10}", format!("{} won", stage.name))?;
        }
        writeln!(f, "  minutes (10, 50, 90 %)  score (10, 50, 90 %)")?;
        for (setting, trials) in self.trials.iter().filter(|(_, trials)| !trials.is_empty()) {
            let (difficulty, skill) = (setting.difficulty.name(), setting.skill.name());
            write!(f, "{difficulty:<10} {:<7} {:>5}", format!("{} {skill}", self.players), trials.len())?;
            for index in (0..self.stages.len()).filter(|&index| !self.stages[index].endless) {
                let won = trials.iter().filter(|trial| trial.stages.get(index).is_some_and(|run| run.is_won)).count();
                write!(f, " {:>10}", percent(won, trials.len()))?;
            }
            writeln!(f, "  {:<22}  {}", minutes(trials), spread(trials, |it| it.score.into()))?;
        }
        writeln!(f)
    }
}

fn write_stage(f: &mut fmt::Formatter<'_>, stage: &Stage, runs: &[&StageRun], games: usize) -> fmt::Result {
    let won = runs.iter().filter(|run| run.is_won).count();
    let deaths: usize = runs.iter().map(|run| run.deaths.len()).sum();
    let ticks: u64 = runs.iter().map(|run| u64::from(run.ticks)).sum();
    let shots: u64 = runs.iter().map(|run| run.shots_sum).sum();
    let most = runs.iter().map(|run| run.shots_max).max().unwrap_or(0);
    writeln!(
        f,
        "  {:<8} begun {}, won {} of these; {:.1} deaths a game; enemy shots in view {:.1}, at most {most}",
        stage.name,
        percent(runs.len(), games),
        percent(won, runs.len()),
        deaths as f64 / runs.len() as f64,
        shots as f64 / ticks.max(1) as f64,
    )?;
    if stage.endless {
        writeln!(f, "    alive     {}", alive_by_minute(runs))?;
        writeln!(f, "    waves     {} (10, 50, 90 %)", spread(runs, |run| run.wave.into()))?;
    } else {
        writeln!(f, "    reached   {}", survival(stage, runs))?;
        let screens = spots::screens(stage, runs);
        writeln!(f, "    deaths    {}", deaths_by_screen(&screens, runs))?;
    }
    writeln!(f, "    killers   {}", killers(runs))?;
    for (kind, line) in bosses(runs) {
        writeln!(f, "    {:<9} {line}", kind.name())?;
    }
    Ok(())
}

/// The share of games that went on after this many minutes.
fn alive_by_minute(runs: &[&StageRun]) -> String {
    let share = |minute: u32| {
        let alive = runs.iter().filter(|run| run.ticks >= minute * TICKS_PER_MINUTE).count();
        format!("{minute} min: {}", percent(alive, runs.len()))
    };
    MARKS_MINUTES.map(share).join(", ")
}

/// The share of games that saw each part of a stage.
fn survival(stage: &Stage, runs: &[&StageRun]) -> String {
    // All of it is seen when the last boss comes.
    let last_px = stage.spawns.last().map_or(stage.length_px, |spawn| spawn.x_px);
    let way = last_px.saturating_sub(FIELD_WIDTH_PX as u32 + SPAWN_MARGIN_PX);
    let share = |mark: u32| {
        let there = runs.iter().filter(|run| run.reached_px >= way * mark / 100).count();
        format!("{mark} %: {}", percent(there, runs.len()))
    };
    MARKS_PERCENT.map(share).join(", ")
}

/// Deaths in each screen of the stage, bosses apart.
fn deaths_by_screen(screens: &[Screen], runs: &[&StageRun]) -> String {
    let with_boss = runs.iter().flat_map(|run| &run.deaths).filter(|death| death.with_boss).count();
    let counts: Vec<String> = screens.iter().map(|screen| screen.deaths.to_string()).collect();
    format!("by screen {}; with bosses {with_boss}", counts.join(" "))
}

fn killers(runs: &[&StageRun]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for death in runs.iter().flat_map(|run| &run.deaths) {
        *counts.entry(death.by.map_or("unknown", Kind::name)).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    let named: Vec<String> = counts.iter().take(8).map(|(name, count)| format!("{name} {count}")).collect();
    if named.is_empty() { "none".into() } else { named.join(", ") }
}

/// For each boss how often it was beaten, and how long that took.
fn bosses(runs: &[&StageRun]) -> Vec<(Kind, String)> {
    let mut fights: BTreeMap<Kind, Vec<(u32, bool)>> = BTreeMap::new();
    for fight in runs.iter().flat_map(|run| &run.bosses) {
        fights.entry(fight.kind).or_default().push((fight.ticks, fight.is_beaten));
    }
    let line = |fights: &[(u32, bool)]| {
        let mut beaten: Vec<u32> = fights.iter().filter(|(_, beaten)| *beaten).map(|(ticks, _)| *ticks).collect();
        beaten.sort_unstable();
        let seconds = |share: usize| {
            let at = beaten.get((beaten.len() * share / 100).min(beaten.len().saturating_sub(1)));
            at.map_or("-".into(), |ticks| (ticks / TICKS_PER_SECOND as u32).to_string())
        };
        let (low, middle, high) = (seconds(10), seconds(50), seconds(90));
        format!("{} fights, beaten in {}; seconds {low} {middle} {high} (10, 50, 90 %)", fights.len(), beaten.len())
    };
    fights.iter().map(|(kind, fights)| (*kind, line(fights))).collect()
}

fn percent(part: usize, whole: usize) -> String {
    format!("{} %", (part * 100 + whole / 2) / whole.max(1))
}

/// The tenth, the middle and the ninetieth of a hundred.
fn spread<T>(all: &[T], of: impl Fn(&T) -> u64) -> String {
    let mut values: Vec<u64> = all.iter().map(of).collect();
    values.sort_unstable();
    let at = |share: usize| values.get((values.len() * share / 100).min(values.len().saturating_sub(1))).copied();
    [10, 50, 90].map(|share| at(share).unwrap_or(0).to_string()).join(" ")
}

fn minutes(trials: &[PlayedGame]) -> String {
    spread(trials, |trial| u64::from(trial.ticks / TICKS_PER_MINUTE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_told_by_three_numbers() {
        let trials: Vec<PlayedGame> = (0..100).map(|score| PlayedGame { score, ..PlayedGame::default() }).collect();
        assert_eq!(spread(&trials, |trial| trial.score.into()), "10 50 90");
        assert_eq!(spread(&[] as &[PlayedGame], |_| 1), "0 0 0");
    }
}
