"""Mail that would do something to a page that took it for more than text."""

_DOES = "window.owned = 1"
_SCRIPT = f"<script>{_DOES}</script>"
_HTML = f"""<html><head><base href="//evil.example/"><style>* {{ display: none }}</style>{_SCRIPT}</head>
<body onload="{_DOES}"><img src=x onerror="{_DOES}"><a href="javascript:{_DOES}">click here</a>
<svg onload="{_DOES}"></svg><iframe src="//evil.example/"></iframe><form action="//evil.example/"><input>
</form><div style="position:fixed;inset:0">prize money</div></body></html>"""


def _mail(sender: str, subject: str, body: str, *fields: str) -> bytes:
    head = "".join(f"{each}\n" for each in (f"From: {sender}", f"Subject: {subject}", *fields))
    return f"{head}\n{body}\n".encode()


HOSTILE = {
    "a script in the header": _mail(f'"{_SCRIPT}" <x@on>', f'{_SCRIPT}<img src=x onerror="{_DOES}">', _SCRIPT),
    "a script in an HTML part": _mail("a@b", "win", _HTML, "Content-Type: text/html"),
    "a script in plain text": _mail("a@b", "win", _HTML + "{{ 7 * 7 }} {% raw %} ${7*7}"),
    "controls of direction": _mail(
        "\u202eevil\u202c <a@b>", "\u202egnp.exe\u2066 \u2067\u200b\x1b[2J", "\u202e\u2066money\u2069\x00\x1b[31m"
    ),
    "quotes and ends of attributes": _mail(f"\"'>{_SCRIPT} <a@b>", f"\"' autofocus onfocus='{_DOES}' x='", "\"'>"),
    "an address that is a script": _mail(f"javascript:{_DOES}", f"javascript:{_DOES}", f"javascript:{_DOES}"),
    "a closing of what it stands in": _mail("a@b", "</title></a></p></template></main>", "</mark></div></template>"),
    "Korean": _mail("=?utf-8?B?6rmA?= <a@b>", "당첨", f"{_SCRIPT} 당첨을 축하합니다"),
    "other bytes": b"From: \xff\xfe\x80\nSubject: \xc3\x28\xed\xa0\x80\n\n\x80\x81\xfe" + _SCRIPT.encode(),
}
"""Messages by what is in them; what runs any of it sets `window.owned`."""
