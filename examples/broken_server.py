#!/usr/bin/env python3
"""A server of `snapshot` with three mistakes, to try `volley conform` on (docs/toolkit.md).

It leaves the game to a node behind it and spoils what passes. Mend it: remove the mistakes one by one.

    volley serve                                                          a node at port 4243
    python3 examples/broken_server.py                                     the broken server at port 4400
    volley conform server --dialect snapshot --to localhost:4400 --html report.html

Other ports can be given: python3 examples/broken_server.py OWN_PORT NODE_PORT
"""

import selectors
import socket
import sys

OWN_PORT, NODE_PORT = map(int, sys.argv[1:] or ("4400", "4243"))
LISTEN, NODE = ("127.0.0.1", OWN_PORT), ("127.0.0.1", NODE_PORT)
JOIN, SNAPSHOT = 0x02, 0x10


def from_client(datagram):
    # Mistake 1: a name with a NUL behind it is dropped.
    if datagram[:1] == bytes([JOIN]) and datagram.endswith(b"\0"):
        return None
    return datagram


def from_node(datagram):
    # Mistake 2: the Packet ID is never counted up.
    datagram = datagram[:1] + b"\0\0" + datagram[3:]
    # Mistake 3: one SNAPSHOT in sixteen loses its last byte.
    if datagram[:1] == bytes([SNAPSHOT]) and datagram[6] % 16 == 0:
        datagram = datagram[:-1]
    return datagram


def main():
    door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    door.bind(LISTEN)
    waiting = selectors.DefaultSelector()
    waiting.register(door, selectors.EVENT_READ)
    to_node, to_client = {}, {}
    while True:
        for ready, _ in waiting.select():
            sock = ready.fileobj
            try:
                datagram, sender = sock.recvfrom(65536)
            except ConnectionError:
                continue  # nobody listens any more
            if sock is not door:
                door.sendto(from_node(datagram), to_client[sock])
                continue
            if sender not in to_node:
                to_node[sender] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                to_node[sender].connect(NODE)
                to_client[to_node[sender]] = sender
                waiting.register(to_node[sender], selectors.EVENT_READ)
            if (datagram := from_client(datagram)) is not None:
                try:
                    to_node[sender].send(datagram)
                except ConnectionError:
                    pass  # no node


if __name__ == "__main__":
    main()
