"""Reports that people read in a browser or a notebook: one file, no network, English or Korean.

`report.Report` is a title and sections, a section is a heading and blocks (`blocks`), and every word that stands on a
page comes from a catalogue (`words`).
"""
