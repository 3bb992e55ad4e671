"""Where the time goes in judging one message, beyond the start of the process: in seconds, as JSON.

python where_message.py FILTER MESSAGE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

from deciban import store
from deciban.text.served import ServedText

times = [perf_counter()]
stored = store.read(sys.argv[1])
times.append(perf_counter())
served = ServedText.from_stored(stored)
served.dictionary  # noqa: B018 (built on first use)
times.append(perf_counter())
served.judge([Path(sys.argv[2]).read_bytes()])
times.append(perf_counter())

size = Path(sys.argv[1]).stat().st_size / 1e6
steps = (f"read and check the filter ({size:.1f} MB)", "build the look-up", "judge the message")
print(json.dumps([(step, after - before) for step, before, after in zip(steps, times, times[1:], strict=False)]))
