#!/usr/bin/env python3
"""A small client of the `snapshot` dialect (docs/protocols/snapshot.md), with Volley's sprites.

Arrows fly, space fires (hold it to charge), left shift sends the Force, Escape quits. The sprites
come from the node itself, or from a folder that `volley assets --out FOLDER` wrote.
"""

import argparse
import contextlib
import functools
import io
import math
import pathlib
import socket
import struct
import time
import urllib.request

import pygame

FIELD = (1920, 1080)  # 480 x 270 pixels, at the usual scale of 4
INPUT, JOIN, PLAYER_ID_ASSIGNMENT, SNAPSHOT, TIMEOUT, KILLED = 0x01, 0x02, 0x08, 0x10, 0x20, 0x40
FULL = 255  # in place of a Player ID
LEFT, UP, RIGHT, DOWN, FIRE, FORCE = 0x25, 0x26, 0x27, 0x28, 0x20, 0x10
KEYS = {pygame.K_LEFT: LEFT, pygame.K_UP: UP, pygame.K_RIGHT: RIGHT, pygame.K_DOWN: DOWN,
        pygame.K_SPACE: FIRE, pygame.K_LSHIFT: FORCE}  # fmt: skip

JOIN_EVERY, SAY_AGAIN_EVERY, SILENCE_MAX, NOTICE_SHOWN = 0.5, 5.0, 30.0, 4.0  # seconds

# What is drawn behind everything else, and what in front of it.
LAYERS = {"wall": -1, "block": -1, "player": 1, "pellet": 2, "bomb": 2, "lance": 2}


class Connection:
    """The dialect: what we say to the node, and what it says."""

    def __init__(self, address, name):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(address)  # from now on only the node's datagrams reach us
        self.socket.setblocking(False)
        self.name = name.encode()[:32].decode(errors="ignore").encode()  # whole letters only
        self.started = self.last_heard = time.monotonic()
        self.last_said = -math.inf
        self.next_packet_id = 0
        self.newest = None  # the Packet ID of the newest SNAPSHOT
        self.player_id = None
        self.held = set()  # key codes
        self.entities, self.notices = [], []  # a notice is (when, text)
        self.ended = None  # why, once it has

    def say(self, packet_type, payload):
        self.last_said = time.monotonic()
        milliseconds = int((self.last_said - self.started) * 1000) % 2**32
        header = struct.pack(">BHI", packet_type, self.next_packet_id, milliseconds)
        self.next_packet_id = (self.next_packet_id + 1) % 2**16
        with contextlib.suppress(OSError):  # nobody listens there, or not yet: in the end silence tells
            self.socket.send(header + payload)

    def key(self, code, is_down):
        (self.held.add if is_down else self.held.discard)(code)
        if self.player_id is not None:
            self.say(INPUT, bytes([self.player_id, code, is_down]))

    def say_held_keys(self):
        for code in self.held.copy():
            self.key(code, True)
        if not self.held:
            self.key(DOWN, False)  # a sign of life that changes nothing

    def advance(self):
        """Says again what may have been lost, and ends it after a long silence."""
        now = time.monotonic()
        if self.player_id is None and now - self.last_said >= JOIN_EVERY:
            self.say(JOIN, self.name)
        if self.player_id is not None and now - self.last_said >= SAY_AGAIN_EVERY:
            self.say_held_keys()
        if now - self.last_heard > SILENCE_MAX:
            self.ended = "The server does not answer"

    def receive(self):
        """Takes in all datagrams that have come."""
        while not self.ended:
            try:
                datagram = self.socket.recv(2048)
            except OSError:
                return  # there are no more, or nobody listens there
            with contextlib.suppress(struct.error, IndexError, ValueError):  # malformed ones are dropped
                packet_type, packet_id, _timestamp = struct.unpack_from(">BHI", datagram)
                self.take(packet_type, packet_id, datagram[7:])
                self.last_heard = time.monotonic()

    def take(self, packet_type, packet_id, payload):
        if packet_type == PLAYER_ID_ASSIGNMENT and payload[0] == FULL:
            self.ended = "Server Full"
        elif packet_type == PLAYER_ID_ASSIGNMENT:
            self.player_id = payload[0]
            self.say_held_keys()
        elif packet_type == SNAPSHOT:
            # One that is older than the newest was overtaken. Packet IDs wrap.
            if self.newest is None or (packet_id - self.newest) % 2**16 < 2**15:
                self.entities, self.newest = list(read_entities(payload)), packet_id
        elif packet_type in (TIMEOUT, KILLED):
            _entity_id, player_id, length = payload[:3]
            name = payload[3 : 3 + length].decode() or player_id + 1
            what = "timed out" if packet_type == TIMEOUT else "was eliminated"
            text = f"Player {name} {what}"
            if player_id == self.player_id:
                text = "You timed out" if packet_type == TIMEOUT else "You were eliminated"
                self.ended = text if packet_type == TIMEOUT else None
            self.notices.append((time.monotonic(), text))


def read_entities(payload):
    """The entities of a SNAPSHOT: id, path, position and rectangle of each."""
    at = 0
    while at < len(payload):
        entity_id, x, y, length = struct.unpack_from(">BffB", payload, at)
        path = payload[at + 10 : at + 10 + length].decode()
        rectangle = struct.unpack_from(">ffff", payload, at + 10 + length)
        at += 26 + length
        if all(map(math.isfinite, (x, y, *rectangle))):
            yield entity_id, path, (x, y), pygame.Rect(*map(round, rectangle))


@functools.cache
def sheet(source, path):
    """The sprite sheet of that path, loaded once; None if there is none."""
    if not path.replace("_", "").isalnum():
        return None  # the path comes from the network, and must not lead elsewhere
    try:
        with urllib.request.urlopen(f"{source}/{path}", timeout=5) as answer:
            data = answer.read()
        return pygame.image.load(io.BytesIO(data)).convert_alpha()
    except (OSError, pygame.error) as error:
        print(f"no sprite sheet {path}: {error}")
        return None


def draw(field, connection, source):
    field.fill((8, 8, 20))
    layered = sorted(connection.entities, key=lambda entity: LAYERS.get(entity[1], 0))
    for _entity_id, path, (x, y), rectangle in layered:
        corner = (round(x - rectangle.width / 2), round(y - rectangle.height / 2))
        image = sheet(source, path)
        if image:
            field.blit(image, corner, rectangle)
        else:
            pygame.draw.rect(field, "magenta", (corner, rectangle.size), 4)
    lines = ["Joining ..."] if connection.player_id is None else []
    lines += [text for when, text in connection.notices if time.monotonic() - when < NOTICE_SHOWN]
    for number, line in enumerate(lines):
        field.blit(pygame.font.Font(None, 64).render(line, True, "white"), (40, 40 + 60 * number))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=4243)
    parser.add_argument("--name", default="Python")
    parser.add_argument("--assets", help="a folder or an address [default: http://SERVER:4240/assets]")
    parser.add_argument("--hold", default="", help="keys to hold from the beginning, such as 'right space'")
    parser.add_argument("--frames", type=int, help="quit after this many pictures of the game")
    parser.add_argument("--picture", help="save the last picture there, and print what is in it")
    options = parser.parse_args()
    source = options.assets or f"http://{options.server}:4240/assets"
    if not source.startswith("http"):
        source = pathlib.Path(source).absolute().as_uri()
    pygame.display.init()
    pygame.font.init()
    window = pygame.display.set_mode((960, 540), pygame.RESIZABLE)
    pygame.display.set_caption("Volley, in the dialect snapshot")
    field, clock, shown = pygame.Surface(FIELD), pygame.time.Clock(), 0
    connection = Connection((options.server, options.port), options.name)
    connection.held.update(KEYS[pygame.key.key_code(key)] for key in options.hold.split())
    while not connection.ended and shown != options.frames:
        for event in pygame.event.get():
            key = getattr(event, "key", None)
            if event.type == pygame.QUIT or key == pygame.K_ESCAPE:
                connection.ended = "Goodbye"
            elif event.type in (pygame.KEYDOWN, pygame.KEYUP) and key in KEYS:
                connection.key(KEYS[key], event.type == pygame.KEYDOWN)
        connection.receive()
        connection.advance()
        draw(field, connection, source)
        pygame.transform.scale(field, window.get_size(), window)
        pygame.display.flip()
        shown += bool(connection.entities)
        clock.tick(60)
    for code in connection.held.copy():
        connection.key(code, False)  # the dialect has no goodbye, but the ship stops
    if options.picture:
        pygame.image.save(field, options.picture)
        for entity_id, path, position, rectangle in connection.entities:
            print("entity", entity_id, path, *position, *rectangle)
    print(connection.ended or "Goodbye")


if __name__ == "__main__":
    main()
