//! Counted validations (F4), the same for both halves.
//!
//! [`UnvalidatedPackets`] keeps what was sent in groups of one type and timestamp, and sends a group again until as many validations
//! came as it has packets. [`Validations`] is what we owe the peer. Neither grows without bound, whatever a peer sends
//! or fails to send.

use std::collections::VecDeque;
use std::time::Duration;

use super::round_trip::RoundTrip;
use super::wire::PacketType;
use crate::Time;

/// From the last packet that joined a group to its first repeat.
pub const REPEAT_FIRST: Duration = Duration::from_millis(250);
/// The time between repeats doubles up to this.
pub const REPEAT_MAX: Duration = Duration::from_secs(1);
/// With more packets than this undelivered, the oldest group is given up once it was repeated [`ROUNDS_FAIR`] times: on
/// a bad network a large group is hardly ever validated whole, though each of its packets has long arrived.
pub const PACKETS_SOFT_MAX: usize = 512;
/// See [`PACKETS_SOFT_MAX`].
pub const ROUNDS_FAIR: u32 = 4;
/// With more packets than this undelivered, the oldest group is given up at once: this bounds our memory.
pub const PACKETS_MAX: usize = 4096;
/// A packet, in the unit in which it is reckoned how many of a group are missing.
const WHOLE: u64 = 100_000_000_000;
/// A group of which fewer than this are missing, as far as one can know, counts as delivered. On a bad network hardly a
/// round of a large group is ever validated whole: at 20 % loss one of ten packets once in 87.
const SETTLED: u64 = WHOLE / 1_000_000;
/// In each of these …
const PACE: Duration = Duration::from_millis(10);
/// … no more packets of groups leave than this: a peer's socket holds only some 250 small datagrams by default.
const PACE_PACKETS: usize = 64;
/// How long a network that lost or doubled something is mistrusted.
const TROUBLE: Duration = Duration::from_secs(4);
/// Validations owed; a peer that sends more at once has the rest to send again.
const VALIDATIONS_MAX: usize = 2048;

/// What was sent and is not known to have arrived.
#[derive(Debug, Default)]
pub struct UnvalidatedPackets {
    /// The oldest first.
    groups: VecDeque<Group>,
    packets: usize,
    /// Memory of groups that are gone, to be used again.
    spare: Vec<Vec<u8>>,
    paced_since: Time,
    paced_packets: usize,
    repeats: u64,
    troubled_at: Option<Time>,
    miscounted_at: Option<Time>,
    round_trip: RoundTrip,
}

/// Packets of one type and timestamp.
#[derive(Debug)]
struct Group {
    packet_type: PacketType,
    timestamp: u64,
    bytes: Vec<u8>,
    packets: usize,
    /// Of this round.
    validations: usize,
    /// Of the round before: some arrive when it is over.
    late_validations: usize,
    /// How many packets are to be expected never to have arrived in earlier rounds than these two, in parts of [`WHOLE`].
    missing: u64,
    /// When its last packet joined, or this round began.
    sent_at: Time,
    /// Until then validations are of the round before.
    late_until: Time,
    /// How many of the bytes have left in this round.
    sent: usize,
    rounds: u32,
    repeat_at: Time,
    interval: Duration,
}

impl UnvalidatedPackets {
    /// Sends a packet, which `write` appends, as one of its group.
    pub fn push(&mut self, now: Time, packet_type: PacketType, timestamp: u64, write: impl FnOnce(&mut Vec<u8>)) {
        let known = self.groups.iter().rposition(|group| group.is(packet_type, timestamp));
        let index = known.unwrap_or_else(|| {
            let bytes = self.spare.pop().unwrap_or_default();
            self.groups.push_back(Group::new(packet_type, timestamp, bytes, now));
            self.groups.len() - 1
        });
        let group = &mut self.groups[index];
        write(&mut group.bytes);
        group.packets += 1;
        group.missing += WHOLE;
        group.sent_at = now;
        group.wait_again(now);
        self.packets += 1;
        self.give_up(now);
    }

    /// Sends the undelivered group of that type again at once, as if it were new. False if there is none.
    pub fn repeat_now(&mut self, now: Time, packet_type: PacketType) -> bool {
        let mut groups = self.groups.iter_mut();
        let group = groups.find(|group| group.packet_type == packet_type && !group.is_delivered());
        let round_trip = self.round_trip.steady();
        group.map(|group| (group.start_again(now, round_trip), group.wait_again(now))).is_some()
    }

    /// A validation came. Whether its group is delivered by it.
    pub fn validated(&mut self, now: Time, packet_type: PacketType, timestamp: u64) -> bool {
        if packet_type == PacketType::Ping && !self.round_trip.validated(now, timestamp) {
            // What the network doubles, it doubles among groups too.
            (self.troubled_at, self.miscounted_at) = (Some(now), Some(now));
        }
        let Some(group) = self.groups.iter_mut().find(|group| group.is(packet_type, timestamp)) else { return false };
        let was_delivered = group.is_delivered();
        if !group.count(now) {
            // One too many: something arrived twice, or a validation of an earlier round counted for a later one. So
            // others may have counted for packets that never arrived.
            (self.troubled_at, self.miscounted_at) = (Some(now), Some(now));
        }
        !was_delivered && group.is_delivered()
    }

    /// A Ping leaves now. It is never repeated, so that its validation tells how long one takes.
    pub fn pinged(&mut self, now: Time) {
        self.round_trip.pinged(now);
    }

    /// Whether nothing of that type and timestamp is still to be validated.
    pub fn is_delivered(&self, packet_type: PacketType, timestamp: u64) -> bool {
        self.groups.iter().filter(|group| group.is(packet_type, timestamp)).all(Group::is_delivered)
    }

    /// Whether the network lately lost or doubled something.
    pub fn is_troubled(&self, now: Time) -> bool {
        self.troubled_at.is_some_and(|at| now.since(at) < TROUBLE)
    }

    /// Whether lately a validation came too many, or a group was given up: what is no longer repeated may not have
    /// arrived. Loss alone is no such case: where validations take less than [`REPEAT_FIRST`], repeats make up for it.
    pub fn is_miscounted(&self, now: Time) -> bool {
        self.miscounted_at.is_some_and(|at| now.since(at) < TROUBLE)
    }

    /// Lets time pass: starts repeats, and forgets what is delivered once nothing more can join it.
    pub fn advance(&mut self, now: Time) {
        while let Some(index) = self.groups.iter().position(|group| group.is_over(now)) {
            self.drop_group(index);
        }
        for group in &mut self.groups {
            if group.is_due(now) {
                group.start_again(now, self.round_trip.steady());
                if group.missing() < SETTLED {
                    group.settle();
                    continue;
                }
                self.repeats += group.packets as u64;
                group.rounds += 1;
                group.interval = (group.interval * 2).min(REPEAT_MAX);
                group.repeat_at = now + group.interval;
                self.troubled_at = Some(now);
            }
        }
        self.give_up(now);
    }

    /// How many packets were to be sent again because their group was not delivered.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Takes out the next packet to send.
    pub fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> bool {
        if now.since(self.paced_since) >= PACE {
            (self.paced_since, self.paced_packets) = (now, 0);
        }
        if self.paced_packets >= PACE_PACKETS {
            return false;
        }
        // By type: an entity is created before it is described.
        let unsent = self.groups.iter_mut().filter(|group| !group.is_sent());
        let Some(group) = unsent.min_by_key(|group| (group.timestamp, group.packet_type)) else { return false };
        let packet = first_packet(&group.bytes[group.sent..]);
        buffer.extend_from_slice(packet);
        group.sent += packet.len();
        self.paced_packets += 1;
        true
    }

    /// Forgets every group of that type.
    pub fn forget(&mut self, packet_type: PacketType) {
        self.groups.retain(|group| group.packet_type != packet_type);
        self.packets = self.groups.iter().map(|group| group.packets).sum();
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.packets = 0;
    }

    fn give_up(&mut self, now: Time) {
        // The youngest group stays: it may be a single huge one, of a scene seen for the first time.
        while self.groups.len() > 1
            && let Some(index) = self.dispensable()
        {
            if !self.groups[index].is_delivered() {
                self.miscounted_at = Some(now);
            }
            self.drop_group(index);
        }
    }

    /// The group to give up, if there are too many packets. What lives is said again after that; what is gone is not for long, and a
    /// client that misses it keeps it for ever: so only the limit of our memory ends such a group.
    fn dispensable(&self) -> Option<usize> {
        let is_fair = |group: &Group| group.rounds >= ROUNDS_FAIR && group.packet_type != PacketType::DestroyEntity;
        match self.packets {
            packets if packets > PACKETS_MAX => Some(0),
            packets if packets > PACKETS_SOFT_MAX => self.groups.iter().position(is_fair),
            _ => None,
        }
    }

    fn drop_group(&mut self, index: usize) {
        const SPARE_MAX: usize = 8;
        let Some(mut group) = self.groups.remove(index) else { return };
        self.packets -= group.packets;
        if self.spare.len() < SPARE_MAX {
            group.bytes.clear();
            self.spare.push(group.bytes);
        }
    }
}

impl Group {
    fn new(packet_type: PacketType, timestamp: u64, bytes: Vec<u8>, now: Time) -> Group {
        Group {
            packet_type,
            timestamp,
            bytes,
            packets: 0,
            validations: 0,
            late_validations: 0,
            missing: 0,
            sent_at: now,
            late_until: now,
            sent: 0,
            rounds: 0,
            repeat_at: now,
            interval: REPEAT_FIRST,
        }
    }

    fn is(&self, packet_type: PacketType, timestamp: u64) -> bool {
        self.packet_type == packet_type && self.timestamp == timestamp
    }

    fn is_sent(&self) -> bool {
        self.sent == self.bytes.len()
    }

    fn is_delivered(&self) -> bool {
        self.validations.max(self.late_validations) >= self.packets
    }

    /// Counts a validation for its round. False: that has them all.
    fn count(&mut self, now: Time) -> bool {
        let is_late = now < self.late_until;
        let count = if is_late { &mut self.late_validations } else { &mut self.validations };
        let fits = *count < self.packets;
        *count += usize::from(fits);
        fits
    }

    fn is_due(&self, now: Time) -> bool {
        !self.is_delivered() && self.is_sent() && self.repeat_at <= now
    }

    /// Delivered, and its second has passed. It stays that long, because what joins it belongs to the same group.
    fn is_over(&self, now: Time) -> bool {
        self.is_delivered() && self.timestamp < now.seconds()
    }

    fn wait_again(&mut self, now: Time) {
        self.interval = REPEAT_FIRST;
        self.repeat_at = now + REPEAT_FIRST;
    }

    /// How many packets are to be expected never to have arrived before this round, in parts of [`WHOLE`]. Every
    /// validation is of a packet that arrived, though nobody knows of which: by that share fewer are missing.
    fn missing(&self) -> u64 {
        let unheard = self.packets.saturating_sub(self.late_validations);
        self.missing * unheard as u64 / self.packets.max(1) as u64
    }

    /// Another round. Where a validation takes longer than the pause was, those of the last round are still to come: it
    /// ends in the middle between the last of them and the first of this one.
    fn start_again(&mut self, now: Time, round_trip: Option<Duration>) {
        let pause = now.since(self.sent_at);
        self.late_until = now + round_trip.unwrap_or_default().saturating_sub(pause / 2);
        self.sent_at = now;
        self.missing = self.missing();
        self.late_validations = std::mem::take(&mut self.validations);
        self.sent = 0;
    }

    /// It is as good as delivered.
    fn settle(&mut self) {
        self.sent = self.bytes.len();
        self.validations = self.packets;
    }
}

/// The first of the packets that we wrote one behind the other: each begins with its Length.
pub fn first_packet(packets: &[u8]) -> &[u8] {
    let length = packets.first_chunk().map_or(packets.len(), |length| u32::from_le_bytes(*length) as usize);
    &packets[..length.min(packets.len())]
}

/// The validations that we owe.
#[derive(Debug, Default)]
pub struct Validations {
    owed: VecDeque<(PacketType, u64)>,
}

impl Validations {
    /// A packet came that is to be validated.
    pub fn owe(&mut self, packet_type: PacketType, timestamp: u64) {
        if self.owed.len() < VALIDATIONS_MAX {
            self.owed.push_back((packet_type, timestamp));
        }
    }

    /// Takes out the next one.
    pub fn next(&mut self) -> Option<(PacketType, u64)> {
        self.owed.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_700_000_000;

    fn at(ms: u64) -> Time {
        Time::from_micros(SECOND * 1_000_000 + ms * 1000)
    }

    /// Pushes a packet of six bytes: a Length and two more.
    fn push(unvalidated: &mut UnvalidatedPackets, now: Time, packet_type: PacketType, mark: u8) {
        unvalidated.push(now, packet_type, now.seconds(), |out| out.extend_from_slice(&[6, 0, 0, 0, mark, mark]));
    }

    fn sent(unvalidated: &mut UnvalidatedPackets, now: Time) -> Vec<u8> {
        let mut marks = Vec::new();
        let mut buffer = Vec::new();
        unvalidated.advance(now);
        while unvalidated.poll(now, &mut buffer) {
            assert_eq!(buffer.len(), 6);
            marks.push(buffer[5]);
            buffer.clear();
        }
        marks
    }

    #[test]
    fn f4_a_group_is_sent_again_whole_after_250_ms_then_doubling_to_a_second() {
        let mut unvalidated = UnvalidatedPackets::default();
        push(&mut unvalidated, at(0), PacketType::CreateEntity, 1);
        assert_eq!(sent(&mut unvalidated, at(0)), [1]);
        push(&mut unvalidated, at(100), PacketType::CreateEntity, 2);
        let times: Vec<u64> = (100..4_200).filter(|&ms| sent(&mut unvalidated, at(ms)) == [1, 2]).collect();
        assert_eq!(times, [350, 850, 1850, 2850, 3850], "250 ms after the last packet joined");
        assert_eq!(unvalidated.repeats(), 10);
    }

    #[test]
    fn f4_validations_are_counted_and_each_repeat_starts_at_zero() {
        let mut unvalidated = UnvalidatedPackets::default();
        push(&mut unvalidated, at(0), PacketType::CreateEntity, 1);
        push(&mut unvalidated, at(0), PacketType::CreateEntity, 2);
        sent(&mut unvalidated, at(0));
        assert!(!unvalidated.validated(at(10), PacketType::CreateEntity, SECOND));
        assert_eq!(sent(&mut unvalidated, at(250)), [1, 2]);
        assert!(!unvalidated.validated(at(260), PacketType::CreateEntity, SECOND), "the first one no longer counts");
        assert!(!unvalidated.validated(at(270), PacketType::DestroyEntity, SECOND), "another type");
        assert!(!unvalidated.validated(at(270), PacketType::CreateEntity, SECOND + 1), "another second");
        assert!(!unvalidated.is_delivered(PacketType::CreateEntity, SECOND));
        assert!(unvalidated.validated(at(280), PacketType::CreateEntity, SECOND));
        assert!((300..5_000).all(|ms| sent(&mut unvalidated, at(ms)).is_empty()));
        assert_eq!((unvalidated.groups.len(), unvalidated.packets), (0, 0));
    }

    #[test]
    fn a_group_of_which_most_is_validated_in_every_round_is_not_sent_for_ever() {
        let mut unvalidated = UnvalidatedPackets::default();
        (0..10).for_each(|mark| push(&mut unvalidated, at(0), PacketType::CreateEntity, mark));
        let mut rounds = 0;
        for ms in (0..60_000).step_by(10) {
            if !sent(&mut unvalidated, at(ms)).is_empty() {
                rounds += 1;
                // As at 20 % loss each way.
                (0..6).for_each(|_| _ = unvalidated.validated(at(ms + 5), PacketType::CreateEntity, SECOND));
            }
        }
        // 10 × 0.4^n is below a millionth from n = 18 on.
        assert_eq!((rounds, unvalidated.is_miscounted(at(60_000))), (18, false));
    }

    #[test]
    fn validations_that_take_longer_than_the_first_repeat_are_counted_for_their_own_round() {
        let mut unvalidated = UnvalidatedPackets::default();
        for second in 0..3 {
            unvalidated.pinged(at(second * 1000));
            unvalidated.validated(at(second * 1000 + 300), PacketType::Ping, SECOND + second);
        }
        push(&mut unvalidated, at(0), PacketType::CreateEntity, 1);
        push(&mut unvalidated, at(0), PacketType::CreateEntity, 2);
        assert_eq!(sent(&mut unvalidated, at(0)), [1, 2]);
        assert_eq!(sent(&mut unvalidated, at(250)), [1, 2]);
        assert!(!unvalidated.validated(at(300), PacketType::CreateEntity, SECOND));
        assert!(unvalidated.validated(at(300), PacketType::CreateEntity, SECOND));
        // Those of the repeat are none too many; but a fifth is.
        (0..2).for_each(|_| _ = unvalidated.validated(at(550), PacketType::CreateEntity, SECOND));
        assert!(!unvalidated.is_miscounted(at(550)));
        unvalidated.validated(at(551), PacketType::CreateEntity, SECOND);
        assert!(unvalidated.is_miscounted(at(551)));
    }

    #[test]
    fn f4_what_joins_a_delivered_group_within_its_second_makes_it_whole_again() {
        let mut unvalidated = UnvalidatedPackets::default();
        push(&mut unvalidated, at(0), PacketType::UpdateEntity, 1);
        sent(&mut unvalidated, at(0));
        assert!(unvalidated.validated(at(1), PacketType::UpdateEntity, SECOND));
        push(&mut unvalidated, at(500), PacketType::UpdateEntity, 2);
        assert_eq!(sent(&mut unvalidated, at(500)), [2]);
        assert_eq!(sent(&mut unvalidated, at(750)), [1, 2]);
    }

    #[test]
    fn groups_of_other_types_and_seconds_do_not_wait_for_each_other() {
        let mut unvalidated = UnvalidatedPackets::default();
        push(&mut unvalidated, at(900), PacketType::CreateEntity, 1);
        push(&mut unvalidated, at(900), PacketType::DestroyEntity, 2);
        push(&mut unvalidated, at(1_000), PacketType::CreateEntity, 3);
        assert_eq!(sent(&mut unvalidated, at(1_000)), [1, 2, 3]);
        assert!(unvalidated.validated(at(1_010), PacketType::CreateEntity, SECOND));
        assert_eq!(sent(&mut unvalidated, at(1_150)), [2]);
        assert_eq!(sent(&mut unvalidated, at(1_250)), [3]);
    }

    #[test]
    fn a_peer_that_never_validates_does_not_fill_our_memory_or_the_line() {
        let mut unvalidated = UnvalidatedPackets::default();
        let mut repeats = 0;
        for tick in 0..60 * 60 {
            let now = at(tick * 1_000 / 60);
            push(&mut unvalidated, now, PacketType::CreateEntity, 1);
            push(&mut unvalidated, now, PacketType::UpdateEntity, 2);
            repeats += sent(&mut unvalidated, now).len() - 2;
        }
        assert!(
            unvalidated.packets <= PACKETS_SOFT_MAX + 2 * 60 * (ROUNDS_FAIR as usize + 2),
            "{}",
            unvalidated.packets
        );
        assert!(repeats / 60 < 1_200, "{repeats} in a minute");
    }

    #[test]
    fn a_burst_is_spread() {
        let mut unvalidated = UnvalidatedPackets::default();
        (0..200).for_each(|_| push(&mut unvalidated, at(0), PacketType::CreateEntity, 1));
        assert_eq!(sent(&mut unvalidated, at(0)).len(), PACE_PACKETS);
        assert_eq!(sent(&mut unvalidated, at(5)).len(), 0);
        assert_eq!(sent(&mut unvalidated, at(16)).len(), PACE_PACKETS);
    }

    #[test]
    fn a_peer_that_sends_without_end_is_owed_a_bounded_number_of_validations() {
        let mut validations = Validations::default();
        (0..100_000).for_each(|_| validations.owe(PacketType::Ping, SECOND));
        assert_eq!(std::iter::from_fn(|| validations.next()).count(), VALIDATIONS_MAX);
    }
}
