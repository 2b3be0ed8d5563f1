"""Machines with a network of their own between them, all on this one.

A machine is a network namespace: its processes have their own addresses and ports, and reach
others only through a switch, which is a thread of the test. The switch delays frames, loses some,
and can cut a machine off, as a pulled cable does: nobody is told. Nothing leaves this computer.

It takes root, or the same rights, and Linux. Namespaces belong to threads, and a process gets that
of the thread that starts it: so each machine has a thread, which does all that is done there.
"""

import ctypes
import fcntl
import os
import random
import select
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_CLONE_NEWNET = 0x40000000
_TUNSETIFF = 0x400454CA
_TAP_WITHOUT_HEADER = 0x0002 | 0x1000
_SET_FLAGS, _SET_ADDRESS, _SET_MASK = 0x8914, 0x8916, 0x891C  # SIOCSIF...
_UP_AND_RUNNING = 0x1 | 0x40
_BROADCAST = b"\xff" * 6
_LONGEST_FRAME = 1 << 16
_ENDS_WITHIN = 30.0  # seconds that a process has once it is killed


def lacking() -> str | None:
    """Why this computer cannot have such machines; None if it can."""
    if not Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    with ThreadPoolExecutor(1) as thread:
        try:
            thread.submit(_leave_network).result()
        except OSError as error:
            return f"network namespaces cannot be made here: {error.strerror}"
    return None


class Machine:
    """A network namespace with one address, and the processes that were started in it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._thread = ThreadPoolExecutor(1)
        self.wire = self._there(lambda: _connected(address))
        self._started: list[subprocess.Popen[bytes]] = []

    def start(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a process; all that it prints is appended to a file."""

        def begin() -> subprocess.Popen[bytes]:
            with log.open("ab") as prints:
                return subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=prints,
                    stderr=prints,
                    env={**os.environ, **(environment or {})},
                )

        process = self._there(begin)
        self._started.append(process)
        return process

    def close(self) -> None:
        """Kill what still runs, and leave the network."""
        for process in self._started:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait(_ENDS_WITHIN)
        self._thread.shutdown()
        os.close(self.wire)

    def _there(self, call: Callable[[], T]) -> T:
        return self._thread.submit(call).result()


@dataclass
class Switch:
    """Carries frames between machines, by a thread; what it does to them may be changed."""

    machines: Sequence[Machine]
    delay: float = 0.0  # seconds, one way
    loss: float = 0.0  # share of the frames
    cut: set[str] = field(default_factory=set)  # addresses of machines that are cut off
    carried: int = 0
    lost: int = 0
    _random: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311
    _ended: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Carry frames until `end` is called."""
        ports = {machine.wire: machine for machine in self.machines}
        places: dict[bytes, int] = {}  # by address of the card
        under_way: list[tuple[float, int, int, bytes]] = []
        number = 0
        while not self._ended.is_set():
            now = time.monotonic()
            while under_way and under_way[0][0] <= now:
                _, _, to, frame = heappop(under_way)
                self._deliver(ports[to], frame)
            wait = min(0.05, under_way[0][0] - now) if under_way else 0.05
            for port in select.select(list(ports), [], [], max(0.0, wait))[0]:
                frame = os.read(port, _LONGEST_FRAME)
                places[frame[6:12]] = port
                known = places.get(frame[:6])
                others = [one for one in ports if one != port]
                for to in others if known is None or frame[:6] == _BROADCAST else [known]:
                    if ports[port].address in self.cut or self._random.random() < self.loss:
                        self.lost += 1
                        continue
                    number += 1
                    heappush(under_way, (time.monotonic() + self.delay, number, to, frame))

    def _deliver(self, machine: Machine, frame: bytes) -> None:
        if machine.address in self.cut:
            self.lost += 1
            return
        self.carried += 1
        os.write(machine.wire, frame)

    def end(self) -> None:
        """Let `run` return."""
        self._ended.set()


@contextmanager
def machines(count: int) -> Iterator[Switch]:
    """Yield the switch between so many machines, which are gone afterwards with all they ran."""
    with ExitStack() as closing:
        made = []
        for number in range(count):
            made.append(Machine(f"10.77.0.{number + 1}"))
            closing.callback(made[-1].close)
        switch = Switch(made)
        thread = threading.Thread(target=switch.run, name="switch")
        thread.start()
        closing.callback(thread.join)
        closing.callback(switch.end)
        yield switch


def _leave_network() -> None:
    """Give the calling thread a network namespace of its own."""
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _connected(address: str) -> int:
    """Move the calling thread to a new network, and return the wire of its only card."""
    _leave_network()
    wire = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(wire, _TUNSETIFF, struct.pack("16sH22x", b"eth0", _TAP_WITHOUT_HEADER))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for request, value in ((_SET_ADDRESS, address), (_SET_MASK, "255.255.255.0")):
            place = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(value))
            fcntl.ioctl(control, request, struct.pack("16s16s", b"eth0", place))
        for card in (b"lo", b"eth0"):
            fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sH14x", card, _UP_AND_RUNNING))
    return wire
