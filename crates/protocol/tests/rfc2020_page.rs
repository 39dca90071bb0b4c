//! The session on the page of `rfc2020` is what the two halves say.

use game::Buttons;
use protocol::rfc2020::ENTRY;
use protocol::{Channel, DeskAnswer, End, LobbyId, Output, Status, StreamUse};

mod page;
mod rfc2020_by_hand;

use rfc2020_by_hand::{Client, Server};

/// A short session of the two halves, in the order in which its messages are said.
#[derive(Default)]
struct Transcript(Vec<(&'static str, Vec<u8>)>);

impl Transcript {
    /// One tick of each end: what each says is heard by the other.
    fn tick(&mut self, client: &mut Client, server: &mut Server) {
        client.tick();
        for (output, bytes) in std::mem::take(&mut client.sent) {
            if output == Output::Datagram {
                assert_eq!(server.send_bytes(&bytes), Ok(()));
                self.0.push(("client", bytes));
            }
        }
        server.tick();
        for bytes in server.said() {
            assert_eq!(client.session.receive(client.now, Channel::Datagram, &bytes), Ok(()));
            self.0.push(("server", bytes));
        }
    }

    fn ask(&mut self, client: &mut Client) {
        let StreamUse::Desk(open) = ENTRY.stream else { panic!("it has a desk") };
        let mut desk = open(client.now);
        client.tick();
        let (_, question) = client.sent.remove(0);
        assert_eq!(desk.receive(client.now, &question), Ok(()));
        self.0.push(("client", question));
        assert!(desk.question().is_some());
        desk.answer(client.now, DeskAnswer::Lobby { port: 24_500, id: LobbyId::new("KXWQ29").unwrap() });
        let mut answer = Vec::new();
        assert_eq!(desk.poll(&mut answer), Some(Output::Stream));
        assert_eq!(client.session.receive(client.now, Channel::Stream, &answer), Ok(()));
        self.0.push(("server", answer));
    }
}

#[test]
fn the_session_on_the_page_is_what_the_two_halves_say() {
    let (mut client, mut server) = (Client::new(None), Server::quiet(0));
    server.confirms = false;
    let mut transcript = Transcript::default();
    transcript.ask(&mut client);
    (0..2).for_each(|_| transcript.tick(&mut client, &mut server));
    client.input = game::Input::holding(Buttons::RIGHT);
    transcript.tick(&mut client, &mut server);
    client.input = game::Input::tapping(Buttons::FIRE);
    transcript.tick(&mut client, &mut server);
    client.session.leave(client.now);
    transcript.tick(&mut client, &mut server);
    assert_eq!(client.session.status(), Status::Ended(End::Left));

    let on_page = page::session(include_str!("../../../docs/protocols/rfc2020.md"));
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines = transcript.0.iter().map(|(who, bytes)| format!("{who} {}", hex(bytes)));
    let lines = lines.collect::<Vec<_>>().join("\n");
    assert!(transcript.0 == on_page, "the page should say:\n{lines}");
}
