"""Real mail, read where it lies."""

import tarfile


def trec(data, most=10_000):
    """The first messages of TREC 2007, in order of arrival, and their labels."""
    with tarfile.open(data("trec07p-head.tar.xz")) as archive:
        files = {each.name.rpartition("/")[2]: archive.extractfile(each).read() for each in archive if each.isfile()}
    lines = [line.split() for line in files.pop("index").decode().splitlines() if line]
    return [files[path.rpartition("/")[2]] for _, path in lines[:most]], [label for label, _ in lines[:most]]


def spamassassin(data):
    """The messages of the SpamAssassin corpus, by name, and the folder of each."""
    with tarfile.open(data("spamassassin.tar.xz")) as archive:
        found = sorted((each.name, archive.extractfile(each).read()) for each in archive if each.isfile())
    return [text for _, text in found], [name.split("/")[-2] for name, _ in found]
