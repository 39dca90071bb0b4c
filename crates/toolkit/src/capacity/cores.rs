//! Which core a process runs on, so that the node and its load do not share one.

/// The core of what is measured, and the core of the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cores {
    pub measured: usize,
    pub load: usize,
}

impl Cores {
    /// Two of those that this process may use: the last for what is measured, because the first one serves interrupts on
    /// many machines. None if there are not two, or the system cannot say.
    pub(super) fn choose() -> Option<Cores> {
        let cores = allowed();
        match cores.as_slice() {
            [load, .., measured] => Some(Cores { measured: *measured, load: *load }),
            _ => None,
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use nix::{
        sched::{CpuSet, sched_getaffinity, sched_setaffinity},
        unistd::Pid,
    };

    const THIS_THREAD: Pid = Pid::from_raw(0);

    pub(in super::super) fn allowed() -> Vec<usize> {
        let is_allowed = |set: &CpuSet, core: usize| set.is_set(core).unwrap_or(false);
        sched_getaffinity(THIS_THREAD)
            .map(|set| (0..CpuSet::count()).filter(|&core| is_allowed(&set, core)).collect())
            .unwrap_or_default()
    }

    /// Does something bound to a core. A process that is started then stays there, with all its threads.
    pub(in super::super) fn on<T>(core: Option<usize>, act: impl FnOnce() -> T) -> T {
        let before = sched_getaffinity(THIS_THREAD).ok();
        let mut set = CpuSet::new();
        if let Some(core) = core
            && set.set(core).is_ok()
        {
            // A system that refuses leaves it to chance, as without cores to choose from.
            let _ = sched_setaffinity(THIS_THREAD, &set);
        }
        let done = act();
        if let Some(before) = before {
            let _ = sched_setaffinity(THIS_THREAD, &before);
        }
        done
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(in super::super) fn allowed() -> Vec<usize> {
        Vec::new()
    }

    pub(in super::super) fn on<T>(_core: Option<usize>, act: impl FnOnce() -> T) -> T {
        act()
    }
}

pub(super) use system::{allowed, on};

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_on_a_core_is_done_there_and_then_all_are_allowed_again() {
        let before = allowed();
        let last = *before.last().expect("a core");
        assert_eq!(on(Some(last), allowed), [last]);
        assert_eq!(allowed(), before);
        assert_eq!(on(None, allowed), before);
    }
}
