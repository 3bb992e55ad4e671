"""A Postfix of its own on the loopback interface, with its queue and its mailbox in a folder."""

import os
import shutil
import smtplib
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from system.serving import until

POSTFIX = shutil.which("postfix", path=os.environ.get("PATH", "") + ":/usr/sbin")
CANNOT = "needs root and Postfix" if POSTFIX is None or os.geteuid() else ""
"""Why it cannot run here; empty where it can."""
_SERVICES = """
127.0.0.1:{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""
_SETTINGS = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.example.org
mydestination =
alias_maps =
virtual_mailbox_domains = example.org
virtual_mailbox_base = {folder}/boxes
virtual_mailbox_maps = static:box
virtual_uid_maps = static:{user}
virtual_gid_maps = static:{user}
virtual_transport = virtual
smtpd_milters = unix:{folder}/milter
milter_default_action = accept
"""
_NOBODY = 65534


class Postfix:
    """A mail server at a port; it lays messages into one mailbox, and those in quarantine on hold."""

    def __init__(self, folder, port):
        self.folder, self.port = folder, port
        self.milter = folder / "milter"

    def send(self, message):
        """Send a message; returns its queue name, and raises SMTPDataError where it is rejected."""
        with smtplib.SMTP("127.0.0.1", self.port, timeout=20) as client:
            client.ehlo()
            client.mail("a@example.net")
            client.rcpt("b@example.org")
            code, text = client.data(b"\r\n".join(message.splitlines()) + b"\r\n")
            if code != 250:
                raise smtplib.SMTPDataError(code, text)
        return text.decode().split()[-1]

    def delivered(self):
        """The messages in the mailbox, as bytes with lines that end in LF, without what Postfix wrote above them."""
        box = self.folder / "boxes" / "box"
        whole = box.read_bytes() if box.exists() else b""
        return [each for each in whole.split(b"From a@example.net ")[1:] if each.endswith(b"\n\n")]

    def held(self):
        """The names of the messages on hold."""
        return {each.name for each in (self.folder / "queue" / "hold").rglob("*") if each.is_file()}

    def log(self):
        """What it has logged."""
        return (self.folder / "log").read_text()


@contextmanager
def running_postfix():
    """A Postfix that asks the milter at a socket in its folder, and does without where nobody listens there."""
    folder = Path(tempfile.mkdtemp(prefix="postfix-"))
    try:
        folder.chmod(0o755)
        for name in ("queue", "data", "boxes", "etc"):
            (folder / name).mkdir()
        shutil.chown(folder / "boxes", _NOBODY, _NOBODY)
        shutil.chown(folder / "data", "postfix")
        port = free_port()
        values = {"folder": folder, "port": port, "user": _NOBODY}
        (folder / "etc" / "main.cf").write_text(_SETTINGS.format(**values))
        (folder / "etc" / "master.cf").write_text(_SERVICES.format(**values).lstrip())
        command = [POSTFIX, "-c", str(folder / "etc")]
        with subprocess.Popen([*command, "start-fg"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                until(lambda: listens(port))
                yield Postfix(folder, port)
            finally:
                subprocess.run([*command, "stop"], capture_output=True, check=False, timeout=60)
                process.wait(20)
    finally:
        shutil.rmtree(folder)


def free_port():
    """A port at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def listens(port):
    """Whether somebody listens there."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0
