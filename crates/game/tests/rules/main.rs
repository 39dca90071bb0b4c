//! The rules, one file per subject, each test one sentence of them. `scene.rs` is how they set up a game and watch it.

mod beam;
mod bosses;
mod campaign;
mod endless;
mod enemies;
mod fliers_and_terrain;
mod force;
mod frames;
mod gates;
mod items;
mod lasers;
mod lives;
mod modes;
mod numbers;
mod players;
mod scene;
mod score;
mod ship;
mod shots;
mod taps;
mod terrain;
mod walls;
