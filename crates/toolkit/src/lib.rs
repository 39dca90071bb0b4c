//! Tools for people who play, host or write an R-Type.
