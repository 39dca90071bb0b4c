//! A server's TCP stream on its way through a proxy: each LOBBY_PORT in it can be replaced, so that the client comes to the
//! proxy for its lobby too. A stream that is not of this dialect passes unchanged.

use super::wire::{FromServer, Message, whole_message};

/// What a server says over one TCP connection.
#[derive(Clone, Debug, Default)]
pub struct PortRewriter {
    /// The beginning of a message that is not whole yet.
    pending: Vec<u8>,
    /// Whether something came that is not of this dialect. Everything passes from then on.
    is_foreign: bool,
}

impl PortRewriter {
    /// Takes what arrived and returns what goes on. `replace` is asked for the port that stands in the place of each
    /// LOBBY_PORT. A message that is not whole yet waits: it is at most 1,041 bytes long.
    pub fn pass(&mut self, bytes: &[u8], mut replace: impl FnMut(u16) -> u16) -> Vec<u8> {
        self.pending.extend_from_slice(bytes);
        let mut out = Vec::with_capacity(self.pending.len());
        while !self.is_foreign {
            match whole_message(&self.pending) {
                Ok(Some(size)) => {
                    let message: Vec<u8> = self.pending.drain(..size).collect();
                    rewrite(&message, &mut replace, &mut out);
                }
                Ok(None) => return out,
                Err(_) => self.is_foreign = true,
            }
        }
        out.append(&mut self.pending);
        out
    }

    /// What still waits when the stream ends.
    pub fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pending)
    }
}

fn rewrite(message: &[u8], replace: &mut impl FnMut(u16) -> u16, out: &mut Vec<u8>) {
    let read = Message::<FromServer>::read(message);
    let rewritten = read.ok().and_then(|message| {
        let body = match message.body {
            FromServer::AskJoin { lobby_port } if lobby_port != 0 => {
                FromServer::AskJoin { lobby_port: replace(lobby_port) }
            }
            FromServer::Create { lobby_port, lobby_id } if lobby_port != 0 => {
                FromServer::Create { lobby_port: replace(lobby_port), lobby_id }
            }
            _ => return None,
        };
        Some(Message { body, ..message })
    });
    match rewritten {
        Some(message) => message.write(out),
        None => out.extend_from_slice(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ASK_JOIN's response with LOBBY_PORT 0x5fb4 (24500), byte by byte as R1 and the document have it.
    const ANSWER: [u8; 19] = [0x40, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9, 0x5f, 0xb4];

    #[test]
    fn a_lobby_port_is_replaced_however_the_stream_is_cut() {
        for cut in 0..=ANSWER.len() {
            let mut rewriter = PortRewriter::default();
            let mut asked = Vec::new();
            let mut out = rewriter.pass(&ANSWER[..cut], |port| {
                asked.push(port);
                7
            });
            out.extend(rewriter.pass(&ANSWER[cut..], |port| {
                asked.push(port);
                7
            }));
            assert_eq!((asked, &out[..17], &out[17..]), (vec![24500], &ANSWER[..17], &[0_u8, 7][..]), "cut at {cut}");
            assert!(rewriter.rest().is_empty());
        }
    }

    #[test]
    fn a_refusal_and_a_stream_of_something_else_pass_unchanged() {
        let mut refusal = ANSWER;
        refusal[17..].fill(0);
        assert_eq!(PortRewriter::default().pass(&refusal, |_| 7), refusal);
        let mut rewriter = PortRewriter::default();
        assert_eq!(rewriter.pass(b"\xffHTTP", |_| 7), b"\xffHTTP");
        assert_eq!(rewriter.pass(&ANSWER, |_| 7), ANSWER, "once foreign, always foreign");
    }

    #[test]
    fn what_waits_for_its_end_is_handed_out_when_the_stream_ends() {
        let mut rewriter = PortRewriter::default();
        assert!(rewriter.pass(&ANSWER[..10], |_| 7).is_empty());
        assert_eq!(rewriter.rest(), ANSWER[..10]);
    }
}
