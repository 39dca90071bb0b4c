//! The program `volley`.

use std::process::ExitCode;

fn main() -> ExitCode {
    volley::main()
}
