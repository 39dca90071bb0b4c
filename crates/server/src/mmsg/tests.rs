//! The same tests for both kinds of calls, over real sockets of both families; then errors, from a script.

#[cfg(target_os = "linux")]
pub(crate) mod narrow_way;

use std::{collections::VecDeque, thread, time::Duration};

use super::*;

const LOOPBACKS: [&str; 2] = ["127.0.0.1:0", "[::1]:0"];

fn socket(at: &str) -> UdpSocket {
    let socket = UdpSocket::bind(at).expect("a socket");
    socket.set_nonblocking(true).expect("it need not block");
    socket
}

fn address(socket: &UdpSocket) -> SocketAddr {
    socket.local_addr().expect("its address")
}

/// From whichever of our addresses.
fn to(to: SocketAddr) -> DatagramAddresses {
    DatagramAddresses { to, from: None }
}

/// Receives this many datagrams, or all that arrive within a second.
fn take<C: Calls>(socket: &UdpSocket, count: usize) -> Vec<(SocketAddr, Vec<u8>)> {
    let mut receiver = Receiver::<C>::default();
    let mut taken = Vec::new();
    for _ in 0..1000 {
        let received = receiver.receive(socket).expect("it can be received");
        assert!(received <= BATCH);
        taken.extend(receiver.datagrams().map(|received| (received.from, received.bytes.to_vec())));
        if taken.len() >= count {
            return taken;
        }
        thread::sleep(Duration::from_millis(1));
    }
    taken
}

/// Datagrams of every awkward size: empty ones, equal runs, a shorter last one, a growing one, long ones.
fn awkward() -> Vec<Vec<u8>> {
    let sizes = [0, 5, 5, 5, 5, 3, 0, 0, 4, 4, 9, 1, 1, 1200, 1200, 1200, 700, 1500, 1500, 2048, 1];
    let runs = (0..150).map(|_| 41);
    sizes.into_iter().chain(runs).enumerate().map(|(index, size)| vec![index as u8; size]).collect()
}

fn send_to_each<C: Calls>(from: &UdpSocket, peers: &[SocketAddr], datagrams: &[Vec<u8>]) -> SendCounts {
    let mut sender = DatagramSender::<C>::new(256, 1 << 20);
    for &peer in peers {
        for datagram in datagrams {
            if !sender.push(to(peer), datagram) {
                sender.flush(from);
                assert!(sender.is_empty() && sender.push(to(peer), datagram));
            }
        }
    }
    sender.flush(from);
    assert!(sender.is_empty());
    sender.take_counts()
}

fn what_is_sent_arrives_whole_and_in_order<S: Calls, R: Calls>() {
    for loopback in LOOPBACKS {
        let (node, peers) = (socket(loopback), [socket(loopback), socket(loopback)]);
        let datagrams = awkward();
        let counts = send_to_each::<S>(&node, &[address(&peers[0]), address(&peers[1])], &datagrams);
        assert_eq!(counts.sent, 2 * datagrams.len() as u64, "{counts:?}");
        assert_eq!((counts.failed, counts.crowded_out, counts.interrupted), (0, 0, 0));
        for peer in &peers {
            let expected: Vec<_> = datagrams.iter().map(|bytes| (address(&node), bytes.clone())).collect();
            assert_eq!(take::<R>(peer, datagrams.len()), expected);
        }
    }
}

#[test]
fn plain_calls_send_and_receive() {
    what_is_sent_arrives_whole_and_in_order::<Plain, Plain>();
}

#[test]
fn the_systems_calls_send_what_plain_ones_receive() {
    what_is_sent_arrives_whole_and_in_order::<System, Plain>();
}

#[test]
fn plain_calls_send_what_the_systems_receive() {
    what_is_sent_arrives_whole_and_in_order::<Plain, System>();
}

#[test]
fn the_systems_calls_send_and_receive() {
    what_is_sent_arrives_whole_and_in_order::<System, System>();
}

#[test]
#[cfg(target_os = "linux")]
fn datagrams_that_arrive_as_one_message_are_split() {
    for loopback in LOOPBACKS {
        let (node, peer) = (socket(loopback), socket(loopback));
        enable_gro(&peer);
        let datagrams = awkward();
        send_to_each::<Linux>(&node, &[address(&peer)], &datagrams);
        let mut receiver = Receiver::<Linux>::default();
        let messages = receiver.receive(&peer).expect("it can be received");
        assert!(messages < datagrams.len() / 4, "the system merges datagrams: {messages}");
        let expected: Vec<_> = datagrams.iter().map(|bytes| (address(&node), bytes.clone())).collect();
        let taken: Vec<_> = receiver.datagrams().map(|received| (received.from, received.bytes.to_vec())).collect();
        assert_eq!(taken, expected);
    }
}

/// Linux has all of 127.0.0.0/8 on its loopback interface: a machine with many addresses.
#[test]
#[cfg(target_os = "linux")]
fn an_answer_leaves_from_the_address_that_was_spoken_to() {
    for (bind, spoken_to) in
        [("0.0.0.0:0", "127.0.0.2"), ("0.0.0.0:0", "127.0.0.3"), ("[::]:0", "127.0.0.2"), ("[::]:0", "::1")]
    {
        let node = socket(bind);
        enable_gro(&node);
        enable_local_end(&node);
        let spoken_to = SocketAddr::new(spoken_to.parse().expect("an address"), address(&node).port());
        let peer = socket(if spoken_to.is_ipv4() { LOOPBACKS[0] } else { LOOPBACKS[1] });
        peer.connect(spoken_to).expect("from now on it hears nobody else");
        (0..3).for_each(|_| assert!(peer.send(b"question").is_ok()));
        let mut receiver = Receiver::<Linux>::default();
        let mut asked = 0;
        let mut sender = DatagramSender::<Linux>::new(256, 1 << 16);
        for _ in 0..1000 {
            receiver.receive(&node).expect("it can be received");
            for Received { from, local, bytes } in receiver.datagrams() {
                assert_eq!(bytes, b"question");
                assert_eq!(local.ip.map(|ip| ip.to_canonical()), Some(spoken_to.ip()), "{bind}");
                assert!(local.interface.is_some(), "{bind}");
                let answers = [&b"an answer"[..], b"an answer", b"short", b"a long answer"];
                answers
                    .iter()
                    .for_each(|answer| assert!(sender.push(DatagramAddresses { to: from, from: local.ip }, answer)));
                asked += 1;
            }
            if asked == 3 {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        sender.flush(&node);
        let counts = sender.take_counts();
        assert_eq!((asked, counts.sent, counts.failed), (3, 12, 0), "{bind}");
        let answers: Vec<Vec<u8>> = take::<Plain>(&peer, 12).into_iter().map(|(_, bytes)| bytes).collect();
        assert_eq!(answers.len(), 12, "{bind} {spoken_to}");
        assert_eq!(answers[..4], [&b"an answer"[..], b"an answer", b"short", b"a long answer"]);
    }
}

/// An address that has gone costs what was to leave from there, and not segmentation.
#[test]
#[cfg(target_os = "linux")]
fn an_address_that_is_not_ours_does_not_disable_segmentation() {
    let (node, peer) = (socket("0.0.0.0:0"), socket(LOOPBACKS[0]));
    let mut sender = DatagramSender::<Linux>::new(64, 4096);
    let from = Some(IpAddr::from([192, 0, 2, 77]));
    assert!((0..4).all(|_| sender.push(DatagramAddresses { to: address(&peer), from }, b"equal")));
    sender.flush(&node);
    assert_eq!(sender.take_counts().failed, 4);
    assert!(sender.calls.can_segment);
}

/// Ten minutes long for each forged packet: what does not fit leaves one by one, and others still leave together.
#[test]
#[cfg(target_os = "linux")]
fn a_way_that_is_said_to_be_narrow_costs_no_datagram_and_not_segmentation() {
    narrow_way::run("mmsg::tests::a_way_that_is_said_to_be_narrow_costs_no_datagram_and_not_segmentation", || {
        let (node, peer) = (socket("127.0.0.1:0"), UdpSocket::bind((narrow_way::NARROW, 0)).expect("a socket"));
        peer.set_nonblocking(true).expect("it need not block");
        let mut sender = DatagramSender::<Linux>::new(64, 1 << 16);
        assert!((0..8).all(|number| sender.push(to(address(&peer)), &[number; 1000])));
        sender.flush(&node);
        let counts = sender.take_counts();
        assert_eq!((counts.sent, counts.failed), (8, 0), "{counts:?}");
        assert!(sender.calls.can_segment);
        let taken: Vec<u8> = take::<Plain>(&peer, 8).into_iter().map(|(_, bytes)| bytes[999]).collect();
        assert_eq!(taken, [0, 1, 2, 3, 4, 5, 6, 7]);
    });
}

fn a_longer_datagram_is_cut_off<C: Calls>() {
    let (node, peer) = (socket(LOOPBACKS[0]), socket(LOOPBACKS[0]));
    peer.send_to(&[7; 5000], address(&node)).expect("it can be sent");
    assert_eq!(take::<C>(&node, 1), [(address(&peer), vec![7; DATAGRAM_MAX_BYTES])]);
}

#[test]
fn a_longer_datagram_is_cut_off_however_it_is_received() {
    a_longer_datagram_is_cut_off::<Plain>();
    a_longer_datagram_is_cut_off::<System>();
}

/// Nobody listens at the second peer's address: the error about the first datagram to it must not lose another one.
fn a_peer_that_is_gone_costs_the_others_nothing<C: Calls>() {
    let (node, peer) = (socket(LOOPBACKS[0]), socket(LOOPBACKS[0]));
    crate::unreachable::keep_errors(&node);
    let gone = address(&socket(LOOPBACKS[0]));
    let mut sender = DatagramSender::<C>::new(256, 4096);
    for number in 0..100u8 {
        assert!(sender.push(to(gone), &[number]) && sender.push(to(address(&peer)), &[number]));
    }
    sender.flush(&node);
    let taken = take::<C>(&peer, 100);
    assert_eq!(taken, (0..100u8).map(|number| (address(&node), vec![number])).collect::<Vec<_>>());
    assert_eq!(sender.take_counts().crowded_out, 0);
}

#[test]
fn a_peer_that_is_gone_costs_the_others_nothing_however_it_is_sent() {
    a_peer_that_is_gone_costs_the_others_nothing::<Plain>();
    a_peer_that_is_gone_costs_the_others_nothing::<System>();
}

#[test]
fn a_queue_takes_no_more_than_it_has_room_for() {
    let peer = address(&socket(LOOPBACKS[0]));
    let mut sender = DatagramSender::<System>::new(2, 10);
    assert!(sender.push(to(peer), &[0; 6]));
    assert!(!sender.push(to(peer), &[0; 5]), "bytes");
    assert!(sender.push(to(peer), &[0; 4]));
    assert!(!sender.push(to(peer), &[]), "datagrams");
}

#[test]
#[cfg(target_os = "linux")]
fn equal_sizes_to_one_peer_take_one_call_and_arrive_one_by_one() {
    let (node, peer) = (socket(LOOPBACKS[0]), socket(LOOPBACKS[0]));
    let datagrams: Vec<_> = (0..60 * 64).map(|index: u32| index.to_be_bytes().to_vec()).collect();
    let mut sender = DatagramSender::<Linux>::new(60 * 64, 1 << 16);
    assert!(datagrams.iter().all(|bytes| sender.push(to(address(&peer)), bytes)));
    let reader = thread::spawn(move || take::<Plain>(&peer, 200).len());
    sender.flush(&node);
    let counts = sender.take_counts();
    assert_eq!((counts.sent, counts.calls), (60 * 64, 1));
    assert_eq!(sender.take_counts(), SendCounts::default());
    // How many of them fit into a small buffer depends on the system.
    assert!(reader.join().expect("it reads") >= 200);
}

#[test]
#[cfg(target_os = "linux")]
fn an_impossible_address_does_not_disable_segmentation() {
    let (node, peer) = (socket(LOOPBACKS[0]), socket(LOOPBACKS[0]));
    let mut sender = DatagramSender::<Linux>::new(64, 4096);
    let nowhere = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
    assert!((0..4).all(|_| sender.push(to(nowhere), b"equal")));
    sender.flush(&node);
    assert_eq!(sender.take_counts().failed, 4);
    assert!((0..4).all(|_| sender.push(to(address(&peer)), b"equal")));
    sender.flush(&node);
    assert_eq!(take::<Plain>(&peer, 4).len(), 4);
    assert!(sender.calls.can_segment);
}

/// Calls with scripted outcomes.
#[derive(Default)]
struct Scripted {
    outcomes: VecDeque<Result<usize, ErrorKind>>,
    sent: Vec<u8>,
}

impl Calls for Scripted {
    fn receive(&mut self, _: &UdpSocket, batch: &mut Batch) -> io::Result<()> {
        batch.count = self.outcomes.pop_front().unwrap_or(Ok(0)).map_err(io::Error::from)?;
        Ok(())
    }

    fn send(&mut self, _: &UdpSocket, queue: &Queue, first: usize) -> io::Result<usize> {
        let count = self.outcomes.pop_front().unwrap_or(Ok(queue.len() - first)).map_err(io::Error::from)?;
        self.sent.extend((first..first + count).filter_map(|index| queue.get(index)?.1.first().copied()));
        Ok(count)
    }
}

/// Sends datagrams 0 to 4; which of them left, and the counts.
fn send_scripted<const N: usize>(outcomes: [Result<usize, ErrorKind>; N]) -> (Vec<u8>, SendCounts) {
    let node = socket(LOOPBACKS[0]);
    let mut sender = DatagramSender::<Scripted>::new(8, 8);
    sender.calls.outcomes = outcomes.into();
    for number in 0..5 {
        assert!(sender.push(to(address(&node)), &[number]));
    }
    sender.flush(&node);
    assert!(sender.is_empty());
    (sender.calls.sent, sender.counts)
}

#[test]
fn a_call_that_takes_only_some_is_followed_by_another() {
    let (sent, counts) = send_scripted([Ok(2), Ok(1)]);
    assert_eq!(sent, [0, 1, 2, 3, 4]);
    assert_eq!(counts, SendCounts { sent: 5, calls: 3, ..SendCounts::default() });
}

#[test]
fn a_full_socket_loses_the_rest() {
    let (sent, counts) = send_scripted([Ok(2), Err(ErrorKind::WouldBlock)]);
    assert_eq!(sent, [0, 1]);
    assert_eq!(counts, SendCounts { sent: 2, crowded_out: 3, calls: 2, ..SendCounts::default() });
}

#[test]
fn an_error_about_an_earlier_datagram_loses_none() {
    let (sent, counts) = send_scripted([Ok(2), Err(ErrorKind::ConnectionRefused), Ok(1)]);
    assert_eq!(sent, [0, 1, 2, 3, 4]);
    assert_eq!(counts, SendCounts { sent: 5, interrupted: 1, calls: 4, ..SendCounts::default() });
}

#[test]
fn a_datagram_that_cannot_be_sent_is_skipped() {
    let never = Err(ErrorKind::NetworkUnreachable);
    let (sent, counts) = send_scripted([Ok(2), never, never, Ok(2)]);
    assert_eq!(sent, [0, 1, 3, 4]);
    assert_eq!(counts, SendCounts { sent: 4, failed: 1, interrupted: 1, calls: 4, ..SendCounts::default() });
}

#[test]
fn an_interrupted_receiver_tries_again_and_an_empty_socket_is_not_an_error() {
    let node = socket(LOOPBACKS[0]);
    let mut receiver = Receiver::<Scripted>::default();
    receiver.calls.outcomes = [Err(ErrorKind::Interrupted), Ok(3), Err(ErrorKind::WouldBlock)].into();
    assert_eq!(receiver.receive(&node).expect("it is tried again"), 3);
    assert_eq!(receiver.receive(&node).expect("nothing is there"), 0);
    assert_eq!(receiver.datagrams().count(), 0);
}
