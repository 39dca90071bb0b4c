//! Any free port for two transports at once. The system picks one that is free for the first transport only.

/// How many free ports are tried before the error counts.
const TRIES: usize = 16;

/// Opens something at a port. Port 0 means any free one, and is tried more than once if need be.
pub(crate) fn open_at<T, E>(port: u16, mut open: impl FnMut() -> Result<T, E>) -> Result<T, E> {
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
        let succeeds_at_try = |good: usize, port: u16| {
            let mut tries = 0;
            open_at(port, || {
                tries += 1;
                if tries == good { Ok(tries) } else { Err(tries) }
            })
        };
        assert_eq!(succeeds_at_try(3, 0), Ok(3));
        assert_eq!(succeeds_at_try(3, 4240), Err(1));
        assert_eq!(succeeds_at_try(99, 0), Err(TRIES));
    }
}
