"""A patch that looks like it holds a secret isn't kept, and the note says where but never what."""

import base64
import os

import pytest

from reeval.masking.masker import Masker
from reeval.record.git import read_worktree
from reeval.record.worktree import keep_patch

# Put together here so that no scanner takes this file for a leak.
RANDOM = "Zk3vQ9xT7bLm2RwY8cNf5HsJ"
SECRETS = [
    ("AKIA" + "Z7QWXN2RTYBVCM4K", "AWS access key"),
    ("gh" + "p_" + RANDOM * 2, "GitHub token"),
    ("github" + "_pat_" + RANDOM * 2, "GitHub token"),
    ("gl" + "pat-" + RANDOM, "GitLab token"),
    ("xox" + "b-123456789012-" + RANDOM, "Slack token"),
    ("sk-" + "ant-api03-" + RANDOM, "model provider key"),
    ("sk-" + "proj-" + RANDOM, "model provider key"),
    ("AI" + "za" + (RANDOM * 2)[:35], "Google key"),
    ("sk_" + "live_" + RANDOM, "Stripe key"),
    ("npm" + "_" + (RANDOM * 2)[:36], "npm token"),
    ("-----BEGIN " + "RSA PRIVATE KEY-----", "private key"),
    ("-----BEGIN " + "OPENSSH PRIVATE KEY-----", "private key"),
    ("ey" + "J" + RANDOM + ".ey" + "J" + RANDOM + "." + RANDOM, "JSON web token"),
    ("postgres://admin:" + "s3cr3t" + "@db.example/x", "password in a URL"),
    ("API_" + "KEY=" + RANDOM, "high-entropy assignment"),
    ('"client_' + 'secret": "' + RANDOM + '"', "high-entropy assignment"),
    ("password " + "= '" + RANDOM + "'", "high-entropy assignment"),
]
HARMLESS = [
    "API_KEY = os.environ['API_KEY']",
    "token = next_token(stream)",
    "password: ${DB_PASSWORD}",
    "secret = aaaaaaaaaaaaaaaaaaaaaaaa",
    "sha256 = " + "0123456789abcdef" * 4,
    "access_key: your-access-key-here",
    "https://example.com/a:b@c",
    "tokens_per_minute = 100000000000",
    "risk-assessment-of-long-names-that-have-dashes",
]


def keep(repository, tmp_path, artifacts="all", masker=None):
    worktree = read_worktree(repository.path, "h", os.environ)
    return keep_patch(worktree, tmp_path / "run", artifacts, masker or Masker({}))


def test_a_patch_is_kept_with_its_ref(repository, tmp_path):
    repository.write("kept.txt", b"one\n2\nthree\n")
    info = keep(repository, tmp_path)
    assert info["worktreePatch"]["path"] == "worktree.patch"
    assert info["worktreePatchNote"] is None
    assert b"+2" in (tmp_path / "run" / "worktree.patch").read_bytes()


def test_a_clean_run_keeps_nothing(repository, tmp_path):
    info = keep(repository, tmp_path)
    assert (info["worktreePatch"], info["worktreePatchNote"]) == (None, None)
    assert not (tmp_path / "run").exists()


def test_without_artifacts_the_patch_is_not_kept_and_the_note_says_so(repository, tmp_path):
    repository.write("kept.txt", b"2\n")
    info = keep(repository, tmp_path, "none")
    assert (info["worktreePatch"], info["worktreePatchNote"]) == (None, "artifacts are none")


@pytest.mark.parametrize(("secret", "rule"), SECRETS, ids=lambda v: v[:12])
def test_what_looks_like_a_secret_is_refused_by_place_and_rule(
    repository, tmp_path, *, secret, rule
):
    repository.write("deep/conf ig.txt", f"a\n\nx {secret}\n".encode())
    info = keep(repository, tmp_path)
    note = f"deep/conf ig.txt:3 looks like it holds a secret (rule: {rule})"
    assert (info["worktreePatch"], info["worktreePatchNote"]) == (None, note)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("line", HARMLESS, ids=lambda v: v[:12])
def test_ordinary_code_is_kept(repository, tmp_path, line):
    repository.write("a.txt", f"{line}\n".encode())
    info = keep(repository, tmp_path)
    assert info["worktreePatchNote"] is None


def test_a_line_number_is_the_files_own(repository, tmp_path):
    repository.write("kept.txt", f"one\nhello\ntwo\nthree\nkey {SECRETS[0][0]}\n".encode())
    assert keep(repository, tmp_path)["worktreePatchNote"].startswith("kept.txt:5 looks")


def test_a_secret_that_was_removed_is_a_secret_still(repository, tmp_path):
    repository.write("kept.txt", f"one\n{SECRETS[1][0]}\n".encode())
    repository.git("commit", "--quiet", "--all", "--message=oops")
    repository.write("kept.txt", b"one\n")
    assert keep(repository, tmp_path)["worktreePatchNote"].startswith("kept.txt:2 looks")


@pytest.mark.parametrize(
    "encode", [bytes, base64.b64encode, lambda v: v.hex().encode()], ids=["raw", "base64", "hex"]
)
def test_the_runs_own_secrets_are_found_in_every_form(repository, tmp_path, encode):
    value = "correct horse battery"
    repository.write("notes.txt", b"x\n" + encode(value.encode()) + b"\n")
    info = keep(repository, tmp_path, masker=Masker({"PASSPHRASE": value}))
    assert info["worktreePatchNote"] == (
        "notes.txt:2 looks like it holds a secret (rule: a secret of this run)"
    )


def test_a_secret_in_a_binary_file_is_found_though_the_patch_compresses_it(repository, tmp_path):
    repository.write("dump.bin", bytes(range(256)) + SECRETS[1][0].encode() + b"\0")
    note = "dump.bin looks like it holds a secret (rule: GitHub token)"
    assert keep(repository, tmp_path)["worktreePatchNote"] == note


def test_a_binary_file_without_one_is_kept(repository, tmp_path):
    repository.write("picture.bin", bytes(range(256)) * 20)
    assert keep(repository, tmp_path)["worktreePatch"] is not None
