//! The rules of a lobby, in messages of the stream: nine bytes at most that a client may choose, all of them checked.

use game::{Arms, Crystal, Daily, Difficulty, Mode, Mutator, Practice, RuleSet, Rules, ShipModel, tuning};

use super::control::yes_or_no;
use crate::{Malformed, Reader};

pub fn read(reader: &mut Reader) -> Result<Rules, Malformed> {
    let set = if yes_or_no(reader)? { RuleSet::Arcade } else { RuleSet::Coop };
    let friendly_fire = yes_or_no(reader)?;
    let lives = within(reader.u8()?, tuning::LIVES_MAX)?;
    if lives == 0 {
        return Err(Malformed::BadValue);
    }
    let difficulty = Difficulty::from_number(reader.u8()?).ok_or(Malformed::BadValue)?;
    Ok(Rules { set, friendly_fire, lives, difficulty, mode: mode(reader)? })
}

/// Appends rules.
pub fn write(rules: &Rules, out: &mut Vec<u8>) {
    let is_arcade = rules.set == RuleSet::Arcade;
    out.extend_from_slice(&[is_arcade.into(), rules.friendly_fire.into(), rules.lives, rules.difficulty as u8]);
    out.push(rules.mode.number());
    match rules.mode {
        Mode::Campaign | Mode::Endless => {}
        Mode::Daily(Daily { day, mutator }) => {
            out.extend_from_slice(&day.to_le_bytes());
            out.push(mutator as u8);
        }
        Mode::Practice(Practice { checkpoint, arms }) => {
            let Arms { force_level, crystal, missiles, bits, speed } = arms;
            out.extend_from_slice(&[checkpoint, force_level, crystal as u8, missiles.into(), bits, speed]);
        }
    }
}

/// Reads the number of a ship.
pub fn ship(reader: &mut Reader) -> Result<ShipModel, Malformed> {
    ShipModel::from_number(reader.u8()?).ok_or(Malformed::BadValue)
}

fn mode(reader: &mut Reader) -> Result<Mode, Malformed> {
    Ok(match reader.u8()? {
        0 => Mode::Campaign,
        1 => Mode::Endless,
        2 => {
            let day = reader.u32_le()?;
            Mode::Daily(Daily { day, mutator: Mutator::from_number(reader.u8()?).ok_or(Malformed::BadValue)? })
        }
        3 => Mode::Practice(Practice { checkpoint: reader.u8()?, arms: arms(reader)? }),
        _ => return Err(Malformed::BadValue),
    })
}

fn arms(reader: &mut Reader) -> Result<Arms, Malformed> {
    Ok(Arms {
        force_level: within(reader.u8()?, tuning::FORCE_LEVEL_MAX)?,
        crystal: Crystal::ALL.get(usize::from(reader.u8()?)).copied().ok_or(Malformed::BadValue)?,
        missiles: yes_or_no(reader)?,
        bits: within(reader.u8()?, tuning::BITS_MAX as u8)?,
        speed: within(reader.u8()?, tuning::SPEED_UPS_MAX)?,
    })
}

fn within(number: u8, most: u8) -> Result<u8, Malformed> {
    if number <= most { Ok(number) } else { Err(Malformed::BadValue) }
}
