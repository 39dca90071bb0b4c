//! A process of this same program that takes part in a measurement, and ends with us whatever happens.

use std::{
    ffi::OsStr,
    io::{self, BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

use super::{Bench, cores};

/// How long a subprocess may take to say a line.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a wait looks whether it should end.
const GLANCE: Duration = Duration::from_millis(20);
/// The option with which a process of this program ends when the one that started it does.
pub const ENDS_WITH_PARENT: &str = "--ends-with-parent";

/// A running subprocess.
pub(super) struct Subprocess {
    child: Child,
    name: &'static str,
    lines: Receiver<String>,
    /// Its last line on standard error, which says why it ended.
    last_words: Arc<Mutex<String>>,
}

impl Subprocess {
    /// Starts this program with these arguments, on that core if there is a choice.
    pub(super) fn start(
        bench: &Bench<'_>,
        name: &'static str,
        core: Option<usize>,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> anyhow::Result<Subprocess> {
        let mut command = Command::new(&bench.options.program);
        command.arg(ENDS_WITH_PARENT).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C in a terminal is for us: we end the parts.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = cores::on(core, || command.spawn()).with_context(|| format!("cannot start {name}"))?;
        let lines = child.stdout.take().map(said).with_context(|| format!("{name} has no output"))?;
        let last_words = child.stderr.take().map(last_line).unwrap_or_default();
        Ok(Subprocess { child, name, lines, last_words })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its next line.
    pub(super) fn line(&mut self, bench: &Bench<'_>) -> anyhow::Result<String> {
        let began = Instant::now();
        loop {
            bench.go_on()?;
            match self.lines.recv_timeout(GLANCE) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if began.elapsed() < PATIENCE => {}
                Err(RecvTimeoutError::Timeout) => bail!("{} printed nothing", self.name),
                Err(RecvTimeoutError::Disconnected) => bail!("{} ended: {}", self.name, self.last_words()),
            }
        }
    }

    /// What it answers to a line on its standard input.
    pub(super) fn ask<T: serde::de::DeserializeOwned>(&mut self, bench: &Bench<'_>) -> anyhow::Result<T> {
        let asked =
            self.child.stdin.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |stdin| stdin.write_all(b"\n"));
        if asked.is_err() {
            bail!("{} ended: {}", self.name, self.last_words());
        }
        let line = self.line(bench)?;
        serde_json::from_str(&line).with_context(|| format!("{} says {line:?}", self.name))
    }

    /// Asks it to end, as Ctrl-C would.
    #[cfg(unix)]
    pub(super) fn interrupt(&self) -> anyhow::Result<()> {
        use nix::{sys::signal, unistd::Pid};
        signal::kill(Pid::from_raw(self.id() as i32), signal::Signal::SIGINT)
            .with_context(|| format!("cannot end {}", self.name))
    }

    /// Elsewhere there is no way to ask.
    #[cfg(not(unix))]
    pub(super) fn interrupt(&self) -> anyhow::Result<()> {
        bail!("cannot end {} on this system", self.name)
    }

    /// Fails if it has ended by itself.
    pub(super) fn is_alive(&mut self) -> anyhow::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(_) => bail!("{} ended: {}", self.name, self.last_words()),
        }
    }

    fn last_words(&self) -> String {
        // What it said may still be on its way.
        thread::sleep(GLANCE);
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Subprocess {
    fn drop(&mut self) {
        // It may have ended already; then there is nobody to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of an output, read beside us so that it never fills up.
fn said(output: impl io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
    });
    receiver
}

fn last_line(output: impl io::Read + Send + 'static) -> Arc<Mutex<String>> {
    let last = Arc::new(Mutex::new(String::new()));
    let shared = Arc::clone(&last);
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            *shared.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
    });
    last
}

/// Makes this process end when the one that started it does, however that ended.
#[cfg(target_os = "linux")]
pub fn end_with_parent() -> anyhow::Result<()> {
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL).context("cannot be tied to the parent process")
}

/// Elsewhere a parent that is killed leaves it behind.
#[cfg(not(target_os = "linux"))]
pub fn end_with_parent() -> anyhow::Result<()> {
    Ok(())
}
