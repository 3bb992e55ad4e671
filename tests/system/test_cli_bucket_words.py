"""deciban train --hashed: buckets are called by their words, or there are no words in the file."""

import json

import polars as pl


def test_the_command_shows_words_or_numbers(run, tmp_path):
    texts = [f"{'cheap loan' if i % 2 else 'lunch noon'} 점심 w{i}" for i in range(20)]
    pl.DataFrame({"t": texts, "y": ["spam" if i % 2 else "ham" for i in range(20)]}).write_csv(tmp_path / "t.csv")
    train = (
        "train",
        "t.csv",
        "--text",
        "t",
        "--label",
        "y",
        "--model",
        "naive-bayes",
        "--hashed",
        "16",
        "--words",
        "1",
    )
    assert run(*train, "-o", "a.deciban").returncode == 0
    assert run(*train, "--unreadable", "-o", "b.deciban").returncode == 0
    found, bare = (json.loads(run("inspect", f"{each}.deciban", "--json").stdout) for each in "ab")
    assert {each["term"] for each in found["evidence"]["spam"]} >= {"cheap", "loan"}
    assert found["bucket_words"] == {"kept": 25, "dropped": 0}
    assert all(each["term"].startswith("bucket ") for each in bare["evidence"]["spam"])
    assert bare["bucket_words"] is None
    assert b"cheap" not in (tmp_path / "b.deciban").read_bytes()
    assert "buckets, named after 25 words" in run("inspect", "a.deciban").stdout
    assert "buckets, whose words are not kept" in run("inspect", "b.deciban").stdout
    for given in ("--readable", "--unreadable"):
        done = run("train", "t.csv", "--text", "t", "--label", "y", given)
        assert (done.returncode, done.stderr) == (
            64,
            "deciban: Expected --readable or --unreadable only with --hashed: a dictionary holds its words by name. "
            "Add --hashed BITS.\n",
        )
