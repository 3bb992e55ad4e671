"""deciban train: every form of labelled examples, and what is told about them."""

import json
import shutil
import subprocess

import pytest

from system.command import HELD_OUT, PROGRAM, TRAIN, out, result, run, trained


def test_a_folder_of_classes_and_labelled_paths_give_the_same_file(tmp_path):
    folder = trained(tmp_path / "a.deciban").read_bytes()
    out("train", f"ham={TRAIN}/ham", f"spam={TRAIN}/spam", "-o", tmp_path / "b.deciban")
    out("train", TRAIN, "-o", tmp_path / "c.deciban", "--jobs", 1)
    assert (tmp_path / "b.deciban").read_bytes() == folder == (tmp_path / "c.deciban").read_bytes()


def test_json_has_the_keys_that_scripts_rely_on(tmp_path):
    told = result("train", TRAIN, "--json", cwd=tmp_path)
    assert (told["n"], told["classes"], told["model"]) == (192, {"ham": 96, "spam": 96}, "online")
    assert told["output"] == "filter.deciban"
    assert (tmp_path / "filter.deciban").exists()
    assert told["seconds"] > 0
    assert told["certificate"]["primal"] == told["certificate"]["calibration"]["log_loss"] < 0.65
    assert (told["duplicates"], told["conflicts"], told["dropped"]) == (0, 0, 0)


def test_remarks_go_to_stderr_and_quiet_silences_them(tmp_path):
    told = run("train", TRAIN, cwd=tmp_path)
    assert told.stdout == b""
    said = told.stderr.decode()
    assert "Learnt 192 messages in" in said
    assert "(ham: 96, spam: 96)" in said
    assert "Wrote filter.deciban" in said
    assert "Next: deciban classify filter.deciban mail.eml" in said
    assert run("train", TRAIN, "-q", cwd=tmp_path).stderr == b""


def test_duplicates_count_once_and_conflicts_are_told(tmp_path):
    shutil.copytree(TRAIN, tmp_path / "mail")
    ham, spam = tmp_path / "mail" / "ham", tmp_path / "mail" / "spam"
    first = min(ham.iterdir())
    shutil.copy(first, ham / "zz-again.eml")
    shutil.copy(first, spam / "zz-conflict.eml")
    done = run("train", tmp_path / "mail", "-o", tmp_path / "f.deciban", "--json")
    told = json.loads(done.stdout)
    assert (told["n"], told["duplicates"], told["conflicts"]) == (192, 1, 1)
    assert b"1 exact duplicate counted once only." in done.stderr
    assert b"1 item came under two labels: the first label stands." in done.stderr


def test_a_mailbox_on_standard_input(tmp_path):
    box = b"".join(b"From x Mon Jan  1 00:00:00 2024\n" + p.read_bytes() + b"\n" for p in (TRAIN / "spam").iterdir())
    told = result("train", "spam=-", f"ham={TRAIN}/ham", "-o", tmp_path / "f.deciban", "--json", input=box)
    assert told["classes"] == {"ham": 96, "spam": 96}


TABLE = "text,label\n" + "".join(f"good film {i},pos\nbad film {i},neg\n" for i in range(20))


def write_tables(folder):
    import polars

    (folder / "t.csv").write_text(TABLE)
    (folder / "t.tsv").write_text(TABLE.replace(",", "\t"))
    rows = [line.split(",") for line in TABLE.splitlines()[1:]]
    (folder / "t.jsonl").write_text("".join(json.dumps({"text": t, "label": c}) + "\n" for t, c in rows))
    polars.DataFrame(rows, schema=["text", "label"], orient="row").write_parquet(folder / "t.parquet")


def test_every_kind_of_table_gives_the_same_model(tmp_path):
    write_tables(tmp_path)
    columns = ("--text", "text", "--label", "label")
    found = set()
    for kind in ("csv", "tsv", "jsonl", "parquet"):
        told = result("train", tmp_path / f"t.{kind}", *columns, "-o", tmp_path / kind, "--json")
        assert told["classes"] == {"neg": 20, "pos": 20}
        assert told["kind"] == "text"
        found.add((tmp_path / kind).read_bytes())
    out("train", "-", *columns, "--format", "csv", "-o", tmp_path / "stdin", input=TABLE.encode())
    found.add((tmp_path / "stdin").read_bytes())
    assert len(found) == 1


def test_a_table_is_judged_and_evaluated_by_its_column(tmp_path):
    write_tables(tmp_path)
    columns = ("--text", "text", "--label", "label")
    out("train", tmp_path / "t.csv", *columns, cwd=tmp_path)
    model = tmp_path / "model.deciban"
    lines = out("classify", model, "t.csv", "--text", "text", cwd=tmp_path).splitlines()
    assert [line.split()[0].rstrip("?") for line in lines[:2]] == ["pos", "neg"]
    assert lines[0].endswith("t.csv:1")
    done = run("evaluate", model, tmp_path / "t.csv", *columns, "--json")
    told = json.loads(done.stdout)
    assert (told["n"], told["errors"], told["learnt"]) == (40, 0, 40)
    assert b"Warning: 40 of these 40 were in the training data" in done.stderr


def test_options_reach_the_model(tmp_path):
    counting = ("--model", "naive-bayes")
    options = ("--words", "1,2", "--likelihood", "bernoulli", "--alpha", "0.5", "--seed", "7")
    path = trained(tmp_path / "f.deciban", *counting, *options)
    told = result("inspect", path, "--json")
    assert told["settings"] | {"words": [1, 2], "key": 7, "binary": True} == told["settings"]
    assert told["bayes"] | {"likelihood": "bernoulli", "alpha": 0.5} == told["bayes"]
    hashed = trained(
        tmp_path / "h.deciban", "--model", "naive-bayes", "--hashed", "12", "--counts", "--max-features", "all"
    )
    settings = result("inspect", hashed, "--json")["settings"]
    assert (settings["hashed_bits"], settings["binary"], settings["max_features"]) == (12, False, None)
    few = trained(tmp_path / "k.deciban", "--max-features", "500", "--kind", "text")
    told = result("inspect", few, "--json")
    assert (told["dictionary"], told["kind"]) == (500, "text")


def test_a_filter_may_be_replaced_even_a_damaged_one(tmp_path):
    path = trained(tmp_path / "f.deciban")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    assert run("classify", path, HELD_OUT).returncode == 65
    trained(path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("columns", [80, 120])
def test_a_progress_bar_is_for_terminals_only(tmp_path, columns):
    """script(1) gives the process a terminal; work of a moment shows no bar, and never on a pipe."""
    if shutil.which("script") is None:
        pytest.skip("script(1) is not installed")
    line = " ".join([*PROGRAM, "train", str(TRAIN), "-o", str(tmp_path / "f.deciban")])
    command = f"stty cols {columns}; {line}"
    done = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert b"Learnt 192 messages" in done.stdout
    assert "━".encode() not in done.stdout
