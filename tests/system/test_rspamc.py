"""rspamd's own client asks and teaches the server."""

import json
import shutil
import subprocess

import pytest

from deciban.serve.live import LiveFilter
from system.command import HAM, KOREAN, SPAM
from system.postfix import free_port
from system.serving import serving

RSPAMC = shutil.which("rspamc")
TOKEN = "0123456789abcdef"
pytestmark = [
    pytest.mark.deep,
    pytest.mark.programs,
    pytest.mark.skipif(RSPAMC is None, reason="rspamc is not installed (apt install rspamd)"),
]


def test_rspamc_understands_every_answer(own, tmp_path):
    (tmp_path / "token").write_text(TOKEN)
    port = free_port()

    def rspamc(*arguments, message=SPAM):
        words = [RSPAMC, "-h", f"127.0.0.1:{port}", *arguments]
        done = subprocess.run(words, input=message.read_bytes(), capture_output=True, check=False, timeout=60)
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    more = ["--rspamd", f"127.0.0.1:{port}", "--token-file", tmp_path / "token", "--workers", 1]
    with serving(own, tmp_path / "s", *more):
        known = LiveFilter(str(own))
        spam, ham = (known.rate(each.read_bytes()) for each in (SPAM, HAM))
        code, said = rspamc()
        assert code == 0
        assert f"Action: add header\nSpam: true\nScore: {spam.score:.2f} / 5.00\n" in said
        assert "Symbol: DECIBAN_SPAM (" in said
        assert " dB, " in said
        assert f"Action: no action\nSpam: false\nScore: {ham.score:.2f} / 5.00\n" in rspamc(message=HAM)[1]
        found = json.loads(rspamc("--json")[1])
        assert {"X-Spam-Flag", "X-Spam-Status"} < {*found["milter"]["add_headers"]}
        assert {*found["milter"]["add_headers"]} < {*found["milter"]["remove_headers"]}
        assert "\nX-Spam: yes\n" in rspamc("--mime")[1]
        assert rspamc("stat")[0] == 0
        code, said = rspamc("learn_spam", message=KOREAN)
        assert code == 1
        assert "HTTP error: 401, Unauthorized" in said
        learn = ("-P", TOKEN, "learn_spam")
        assert "success = true;" in rspamc(*learn, message=KOREAN)[1]
        assert 'error = "the message was learnt as spam already";' in rspamc(*learn, message=KOREAN)[1]
        assert known.follow()
        before = ham.score
        assert "success = true;" in rspamc("-P", TOKEN, "learn_spam", message=HAM)[1]
        assert known.follow()
        assert known.rate(HAM.read_bytes()).score > before
