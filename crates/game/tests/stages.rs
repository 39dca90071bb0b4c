//! Stages: the built-in ones can be played, and each way in which a file can be broken is refused with its place.

#[path = "stages/broken.rs"]
mod broken;
#[path = "stages/built_in.rs"]
mod built_in;
#[path = "stages/hostile.rs"]
mod hostile;
