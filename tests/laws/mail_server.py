"""The other side of the milter protocol: a mail server that sends messages and does as it is answered."""

from deciban.serve.markup import split_message

ALL_ACTIONS, ALL_STEPS = 0x1FF, 0x1FFFFF
LEADING_SPACE, NO_REPLIES = 0x100000, 0xFF000 | 0x80
NO_CHANGE = b"c"


def packet(command, data=b""):
    """The bytes of a packet."""
    return (1 + len(data)).to_bytes(4, "big") + command + data


def packets(data):
    """The packets in bytes, each its command and its data."""
    found = []
    while data:
        size = int.from_bytes(data[:4], "big")
        assert len(data) >= 4 + size > 4
        found.append((data[4:5], data[5 : 4 + size]))
        data = data[4 + size :]
    return found


def offer(version=6, actions=ALL_ACTIONS, steps=ALL_STEPS):
    """The packet that begins a connection."""
    return packet(b"O", b"".join(each.to_bytes(4, "big") for each in (version, actions, steps)))


def fields_of(message):
    """Name and value of each header field, as they stand around its colon, lines within it ended by LF."""
    found = []
    for line in split_message(message)[1].replace(b"\r\n", b"\n").splitlines(keepends=True):
        if line[:1] in (b" ", b"\t"):
            found[-1] += line
        else:
            found.append(line)
    return [tuple(each.removesuffix(b"\n").split(b":", 1)) for each in found]


def message_packets(message, *, leading=True, chunk=65535, queue_id=b""):
    """The packets by which a message is sent."""
    sent = packet(b"D", b"E{i}\0" + queue_id + b"\0") if queue_id else b""
    sent += packet(b"M", b"<a@example.org>\0")
    for name, value in fields_of(message):
        sent += packet(b"L", name + b"\0" + (value if leading else value.lstrip(b" ")) + b"\0")
    sent += packet(b"N")
    body = split_message(message)[2].removeprefix(b"\r\n")
    for at in range(0, len(body), chunk):
        sent += packet(b"B", body[at : at + chunk])
    return sent + packet(b"E")


def changed(message, answers, *, leading=True):
    """The message after what the packets that answer it ask for; the last of them is the final reply."""
    fields = fields_of(message)
    space, removed = b"" if leading else b" ", []
    for command, data in answers:
        if command == b"m":
            place, (name, value) = int.from_bytes(data[:4], "big"), data[4:].removesuffix(b"\0").split(b"\0")
            assert value == b""
            assert (name.lower(), place) not in removed  # servers may keep the places of what is removed
            removed.append((name.lower(), place))
            same = [k for k, each in enumerate(fields) if each[0].lower() == name.lower()]
            del fields[same[place - 1]]
        elif command in (b"i", b"h"):
            place = int.from_bytes(data[:4], "big") if command == b"i" else len(fields)
            name, value = (data[4:] if command == b"i" else data).removesuffix(b"\0").split(b"\0")
            assert b"\r" not in value
            fields.insert(place, (name, space + value))
    header = b"".join(b"%s:%s\n" % each for each in fields).replace(b"\n", b"\r\n")
    return header + split_message(message)[2]
