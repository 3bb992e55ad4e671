"""A Dovecot of our own on this machine: one user, Maildirs in a folder, a port that was free."""

import imaplib
import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

DOVECOT = shutil.which("dovecot") or next(filter(os.path.exists, ["/usr/sbin/dovecot"]), None)
USER, PASSWORD = "ann", "secret-of-ann"
PATIENCE = 30.0

_CONFIGURATION = """
protocols = imap
listen = 127.0.0.1
base_dir = {home}/run
state_dir = {home}/state
log_path = {home}/dovecot.log
{tls}
disable_plaintext_auth = no
mail_location = maildir:{home}/Maildir
default_login_user = {user}
default_internal_user = {user}
default_internal_group = {group}
first_valid_uid = {first}
first_valid_gid = {first}
imap_capability = {capability}
mail_max_userip_connections = 50
mailbox_idle_check_interval = 2s
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={home}
}}
namespace inbox {{
  inbox = yes
  mailbox {junk} {{
    auto = create
    special_use = \\Junk
  }}
  mailbox Work {{
    auto = create
  }}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
service imap {{
  process_limit = 60
}}
{more}
"""


_TLS = """ssl = yes
ssl_cert = <{}
ssl_key = <{}"""


def free_port():
    """A port where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class ImapServer:
    """A server that is started, killed and started again."""

    def __init__(self, home, capability="", junk="Junk", certificate=None, more=""):
        self.home, self.capability, self.junk, self.more = home, capability, junk, more
        self.certificate = certificate
        self.port, self.tls_port = free_port(), free_port() if certificate else 0
        self.url = f"imap://{USER}@127.0.0.1:{self.port}"
        self.tls_url = f"imaps://{USER}@localhost:{self.tls_port}"
        self.process = None

    def start(self):
        import grp
        import pwd

        name = "mail" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
        known = pwd.getpwnam(name)
        values = {
            "home": self.home,
            "user": name,
            "group": grp.getgrgid(known.pw_gid).gr_name,
            "uid": known.pw_uid,
            "gid": known.pw_gid,
            "first": 1,
            "capability": self.capability,
            "password": PASSWORD,
            "junk": self.junk,
            "port": self.port,
            "tls_port": self.tls_port,
            "more": self.more.replace("HOME", str(self.home)),
            "tls": "ssl = no" if self.certificate is None else _TLS.format(*self.certificate),
        }
        (self.home / "dovecot.conf").write_text(_CONFIGURATION.format(**values))
        for each in ("run", "state", "Maildir"):
            (self.home / each).mkdir(exist_ok=True)
        if os.getuid() == 0:
            for each in (self.home, self.home / "Maildir", self.home / "state"):
                os.chown(each, known.pw_uid, known.pw_gid)
        self.process = subprocess.Popen([DOVECOT, "-F", "-c", str(self.home / "dovecot.conf")])
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                return
            except OSError:
                assert self.process.poll() is None, self.log()
                assert time.monotonic() < end, self.log()
                time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def stop_others(self):
        """End what a killed server leaves behind."""
        for each in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if str(self.home).encode() in (each / "environ").read_bytes():
                    os.kill(int(each.name), signal.SIGKILL)

    def log(self):
        log = self.home / "dovecot.log"
        return log.read_text() if log.exists() else "no log"

    @contextmanager
    def connected(self, folder="INBOX"):
        """The user's own mail program."""
        client = imaplib.IMAP4("127.0.0.1", self.port)
        try:
            client.login(USER, PASSWORD)
            assert client.select(folder)[0] == "OK"
            yield client
        finally:
            with suppress(Exception):
                client.logout()

    def deliver(self, *messages, folder="INBOX"):
        with self.connected() as client:
            for message in messages:
                assert client.append(folder, None, None, message)[0] == "OK"

    def messages(self, folder):
        """The bytes of the messages in a folder, and their flags."""
        with self.connected(folder) as client:
            uids = client.uid("SEARCH", "ALL")[1][0].split()
            found = []
            for uid in uids:
                told = client.uid("FETCH", uid, "(FLAGS BODY.PEEK[])")[1]
                found.append((told[0][1], told[0][0].decode()))
            return found

    def move(self, message, source, target):
        """Move the message of these bytes, as the user's mail program does."""
        with self.connected(source) as client:
            for uid in client.uid("SEARCH", "ALL")[1][0].split():
                if client.uid("FETCH", uid, "(BODY.PEEK[])")[1][0][1] == message:
                    assert client.uid("MOVE", uid, target)[0] == "OK"
                    return
        raise AssertionError("no such message")


@contextmanager
def imap_server(prepare=lambda home: None, **more):
    """A server in a folder of its own, which the other user that it runs as where we are root can reach."""
    with TemporaryDirectory(prefix="imap-") as home:
        server = ImapServer(Path(home), **more)
        prepare(server.home)
        server.start()
        try:
            yield server
        finally:
            server.stop()
            print(server.log())  # shown where a test fails
