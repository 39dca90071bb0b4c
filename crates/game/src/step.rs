//! The order of everything: one step is 1/120 s, two steps are a tick.

use crate::{
    Input, Inputs, World, bits, bosses, bullets, collisions, effects, flight, foes, force, items, lives, progress,
    removal, score, ship, tally, units::STEPS_PER_TICK, weapons,
};

impl World {
    /// Moves the game on by one tick: 1/60 s, two steps. A press counts in the first of them.
    pub fn tick(&mut self, inputs: &Inputs) {
        self.step(inputs);
        self.step(&inputs.map(Input::later_in_tick));
    }

    /// Moves the game on by one step, 1/120 s. Two steps make a tick; the events of both are in its Frame.
    pub fn step(&mut self, inputs: &Inputs) {
        let first_of_tick = self.state.step.is_multiple_of(STEPS_PER_TICK as u64);
        if first_of_tick {
            self.state.events.drain(..self.state.events_shown as usize);
            self.state.events_shown = 0;
        }

        progress::scroll(self);
        progress::spawn(self);

        for (seat, input) in crate::Seat::ALL.into_iter().zip(inputs) {
            ship::fly(self, seat, *input);
            weapons::fire(self, seat, *input);
            force::command(self, seat, *input);
            force::fly(self, seat);
            bits::fly(self, seat);
            ship::remember(self, seat, *input);
        }
        foes::shield(self);
        bosses::fly(self);
        foes::fly(self);
        flight::fly(self);
        bullets::fly(self);
        effects::fly(self);
        items::fly(self);

        collisions::gear_with_bullets(self);
        collisions::with_foes(self);
        items::take(self);
        score::advance(self);
        removal::remove_the_gone(self);
        lives::settle(self);
        tally::advance(self);

        self.state.step += 1;
        if !first_of_tick {
            self.state.events_shown = self.state.events.len() as u32;
        }
    }
}
