"""Carries IPv4 packets between TUN devices: an Ethernet switch whose links can lose and delay.

Arguments: one device name for each host. A line on standard input is a JSON object:
{"hosts": {address: device}}            where each address is
{"from": [address], "to": [address], "loss": 0..1, "delay": seconds}    a link in one direction
The answer to a line is "ok".
"""

import fcntl, heapq, json, os, random, selectors, socket, struct, sys, time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x1, 0x1000

devices = {}
for name in sys.argv[1:]:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    devices[name] = device

hosts, links, delayed = {}, {}, []
waiting = selectors.DefaultSelector()
for device in devices.values():
    waiting.register(device, selectors.EVENT_READ)
waiting.register(sys.stdin, selectors.EVENT_READ)


def deliver(device, packet):
    try:
        os.write(device, packet)
    except OSError:
        pass  # A host that is down or full loses the packet, as on a wire.


def receive(packet):
    if len(packet) < 20 or packet[0] >> 4 != 4:
        return
    device = hosts.get(packet[16:20])
    if device is None:
        return
    loss, delay = links.get(packet[12:20], (0, 0))
    if random.random() < loss:
        return
    if delay == 0:
        deliver(device, packet)
    else:
        heapq.heappush(delayed, (time.monotonic() + delay, device, packet))


def obey(line):
    order = json.loads(line)
    for address, name in order.get("hosts", {}).items():
        hosts[socket.inet_aton(address)] = devices[name]
    for source in order.get("from", []):
        for target in order["to"]:
            links[socket.inet_aton(source) + socket.inet_aton(target)] = (order["loss"], order["delay"])
    print("ok", flush=True)


print("ok", flush=True)
while True:
    patience = max(0, delayed[0][0] - time.monotonic()) if delayed else None
    for key, _ in waiting.select(patience):
        if key.fileobj is sys.stdin:
            line = sys.stdin.readline()
            if line == "":
                sys.exit()
            obey(line)
            continue
        # Some packets at a time, so that no host keeps the others waiting.
        for _ in range(32):
            try:
                receive(os.read(key.fd, 65535))
            except OSError:
                break
    while delayed and delayed[0][0] <= time.monotonic():
        deliver(*heapq.heappop(delayed)[1:])
