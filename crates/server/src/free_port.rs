//! Any free port, where two transports need the same one: the system finds one that is free for the first alone.

/// Ports that are tried before the error is taken for an answer.
const TRIES: usize = 16;

/// Opens something at a port, and if that is 0, which means any that is free, more than once if need be.
pub(crate) fn at_port<T, E>(port: u16, mut open: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let tries = if port == 0 { TRIES } else { 1 };
    let mut opened = open();
    for _ in 1..tries {
        if opened.is_ok() {
            break;
        }
        opened = open();
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_free_port_is_tried_and_a_given_one_is_not_tried_again() {
        let opened_at_the = |third: usize, port: u16| {
            let mut tries = 0;
            at_port(port, || {
                tries += 1;
                if tries == third { Ok(tries) } else { Err(tries) }
            })
        };
        assert_eq!(opened_at_the(3, 0), Ok(3));
        assert_eq!(opened_at_the(3, 4240), Err(1));
        assert_eq!(opened_at_the(99, 0), Err(TRIES));
    }
}
