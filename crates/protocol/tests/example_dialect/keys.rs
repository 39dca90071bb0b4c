//! What a player does: KEYS holds the inputs of the last ticks, so that a lost one arrives with the next.

use std::collections::VecDeque;

use game::Input;

use super::wire::{FromClient, INPUTS_MAX};
use crate::Keys;

/// The client's side: which inputs to say.
#[derive(Debug, Default)]
pub(super) struct ClientKeys {
    newest: u32,
    recent: VecDeque<Input>,
}

impl ClientKeys {
    /// The player's next input.
    pub fn press(&mut self, input: Input) {
        self.newest = self.newest.wrapping_add(1);
        self.recent.push_back(input);
        if self.recent.len() > INPUTS_MAX {
            self.recent.pop_front();
        }
    }

    /// The KEYS of this tick.
    pub fn packet(&self) -> FromClient<'static> {
        FromClient::Keys { newest: self.newest, inputs: self.recent.iter().copied().collect() }
    }
}

/// The server's side: each input counts once, however often it is said.
#[derive(Debug, Default)]
pub(super) struct ServerKeys {
    newest: u32,
    keys: Keys,
}

impl ServerKeys {
    /// Takes in a KEYS.
    pub fn receive(&mut self, newest: u32, inputs: &[Input]) {
        let new = usize::try_from(newest.saturating_sub(self.newest)).unwrap_or(usize::MAX).min(inputs.len());
        for input in &inputs[inputs.len() - new..] {
            self.keys.replace(input.held);
            self.keys.tap(input.pressed);
        }
        self.newest = self.newest.max(newest);
    }

    /// The input of the next tick.
    pub fn take(&mut self) -> Input {
        self.keys.take()
    }
}
