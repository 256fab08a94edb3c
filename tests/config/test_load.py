"""`reeval.toml`: where it is found, what it means, and what each mistake is answered with."""

from __future__ import annotations

from pathlib import Path

import pytest

from reeval.config.errors import UsageError
from reeval.config.load import load_settings
from reeval.config.model import (
    Budget,
    GitWorkspace,
    HarnessSpec,
    HostFile,
    Limit,
    McpServer,
    ModelGateway,
    Network,
    Secret,
    Settings,
    SetupStep,
    SkillSource,
)


def load(folder: Path, text: str, environ: dict[str, str] | None = None) -> Settings:
    (folder / "reeval.toml").write_text(text)
    return load_settings(folder, environ or {})


def refused(folder: Path, text: str) -> str:
    with pytest.raises(UsageError) as caught:
        load(folder, text)
    return str(caught.value).removeprefix(f"{folder}/")


# ── where it is found ────────────────────────────────────────────────────────────────────────


def test_without_a_file_the_start_is_the_project_with_the_defaults(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    settings = load_settings(tmp_path, {})
    assert settings.root == tmp_path
    assert settings.file is None
    assert settings.evals == ("evals/**/*.eval.py",)
    assert len(settings.hash) == 64


def test_the_nearest_file_above_is_the_projects(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text("runs = 2")
    below = tmp_path / "evals" / "deep"
    below.mkdir(parents=True)
    settings = load_settings(below, {})
    assert settings.root == tmp_path
    assert settings.options["runs"] == 2


def test_the_search_stops_at_the_root_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text("runs = 2")
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    assert load_settings(repository, {}).file is None


def test_pyproject_holds_the_settings_too_and_its_lines_count(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "x"\n\n[tool.reeval]\nruns = 4\n')
    assert load_settings(tmp_path, {}).options["runs"] == 4
    file.write_text('[project]\nname = "x"\n\n[tool.reeval]\nruns = "x"\n')
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path, {})
    assert str(caught.value) == f'{file}:5: runs takes a whole number from 1 (got "x")'


def test_a_pyproject_of_another_matter_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_text("runs = 2")
    below = tmp_path / "package"
    below.mkdir()
    (below / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["reeval"]\n')
    assert load_settings(below, {}).root == tmp_path


# ── what it means ────────────────────────────────────────────────────────────────────────────

WHOLE = """
evals       = ["evals/**/*.eval.py", "more/*.py"]
harness     = ["claude", "codex:gpt-5"]
environment = "with-skill"
runs        = 3
timeout     = "10m"
concurrency = 4
record      = "ci"
history     = "evals/history"
artifacts   = "failures"
gateway     = ["litellm", "direct"]
tags        = ["all"]
revision    = 2
egress      = { allow = ["@registries", "*.example.org"] }
gate        = { pass_rate = 0.8 }
pin         = ["runs"]
env         = { A = "1" }
questions   = ["Is it short?", { question = "Which is better?", across = "environment" }]
[runner]
module = "reeval_python"
[network]
resolve = { "api.example.com" = "127.0.0.1:8443" }
private = ["git.corp.example:443"]
ca_file = "root.pem"
[judge]
model = { kind = "fake-judge", score = 1 }
state = { diff = ["src/**"], transcript = "tools" }
[budget]
attempts = 200
duration = 90
[capture]
viewport = { width = 800, height = 600 }
[harnesses.claude]
kind = "claude-code"
model = "claude-sonnet-5"
effort = "medium"
max_concurrent = 2
[environments.base]
workspace = { git = "github:acme/app", ref = "v1.2.0", path = "packages/core" }
setup = ["npm ci", { run = "npm run build", timeout = "3m", cwd = "web" }]
files = { ".editorconfig" = { file = "fixtures/editorconfig" }, "~/notes.txt" = "" }
rules = { file = "AGENTS.md" }
env = {
  NODE_ENV = "test",
  API_TOKEN = { secret = "STAGING_TOKEN", hosts = ["api.example.com"], in = ["query"] },
  DB_URL = { secret = "DB_URL", to = "checks", optional = true },
}
mcp = { docs = { command = "npx", args = ["-y"] }, web = { url = "https://mcp.example.com" } }
[environments.with-skill]
extends = "base"
skills = ["skills/greet", { git = "github:acme/skills", ref = "8f3c1a2", only = ["review"] }]
plugins = [{ marketplace = "lint@npm:@acme/plugins", build = ["npm ci"] }]
[sandbox]
kind = "podman"
memory = "4g"
install = ["apt-get update", { run = "make", timeout = "10m" }]
[images]
base = "node:24-bookworm-slim"
versions = { claude-code = "2.1.328" }
[profiles.pr]
when = { ci = true, event = "pull_request" }
defaults = { runs = 1, sandbox = { kind = "docker" } }
limit = { runs = 3, compare = { max_variants = 1 }, harness = ["claude"] }
[profiles.quick]
limit = { compare = false }
[gateways.litellm]
base_url = "http://127.0.0.1:4000"
key = "LITELLM_KEY"
protocols = ["anthropic", "openai-chat"]
"""


@pytest.fixture
def whole(tmp_path: Path) -> Settings:
    (tmp_path / "root.pem").write_text("x")
    return load(tmp_path, WHOLE)


def test_what_belongs_to_the_run_alone(whole: Settings) -> None:
    assert whole.evals == ("evals/**/*.eval.py", "more/*.py")
    assert (whole.concurrency, whole.record, whole.history) == (4, "ci", "evals/history")
    assert (whole.artifacts, whole.gateway) == ("failures", ("litellm", "direct"))
    assert whole.runner_module == "reeval_python"
    assert whole.budget == Budget(attempts=200, duration=90.0)
    assert whole.network == Network(
        resolve={"api.example.com": "127.0.0.1:8443"},
        private=("git.corp.example:443",),
        ca_file=whole.root / "root.pem",
    )
    assert whole.images["versions"] == {"claude-code": "2.1.328"}
    assert whole.gateways == {
        "litellm": ModelGateway(
            "litellm", "http://127.0.0.1:4000", "LITELLM_KEY", ("anthropic", "openai-chat")
        )
    }


def test_a_named_harness_has_its_kind_model_and_effort_as_id(whole: Settings) -> None:
    assert whole.harnesses == {
        "claude": HarnessSpec(
            kind="claude-code",
            id="claude-code:claude-sonnet-5[effort=medium]",
            model="claude-sonnet-5",
            effort="medium",
            max_concurrent=2,
        )
    }


def test_an_environments_parts(whole: Settings) -> None:
    base = whole.environments["base"]
    assert base.workspace == GitWorkspace("github:acme/app", "v1.2.0", "packages/core")
    assert base.setup == (SetupStep("npm ci"), SetupStep("npm run build", 180.0, "web"))
    assert base.files == {
        ".editorconfig": HostFile(whole.root / "fixtures/editorconfig"),
        "~/notes.txt": "",
    }
    assert base.rules == HostFile(whole.root / "AGENTS.md")
    assert base.env == {
        "NODE_ENV": "test",
        "API_TOKEN": Secret("STAGING_TOKEN", ("api.example.com",), ("query",)),
        "DB_URL": Secret("DB_URL", to="checks", optional=True),
    }
    assert base.mcp == {
        "docs": McpServer("stdio", command="npx", args=("-y",)),
        "web": McpServer("http", url="https://mcp.example.com"),
    }


def test_an_environment_that_extends_another_adds_to_it(whole: Settings) -> None:
    child = whole.environments["with-skill"]
    assert (child.parent, child.overrides) == ("base", ())
    assert child.env == whole.environments["base"].env
    assert child.skills == (
        SkillSource("local", {"path": str(whole.root / "skills/greet")}),
        SkillSource("git", {"repo": "github:acme/skills", "ref": "8f3c1a2"}, only=("review",)),
    )
    (plugin,) = child.plugins
    assert plugin.fields == {
        "name": "lint",
        "marketplace": {"source": "npm", "spec": "@acme/plugins"},
        "build": ("npm ci",),
    }


def test_profiles(whole: Settings) -> None:
    assert whole.profiles["pr"].when == {"ci": True, "event": ("pull_request",)}
    assert whole.profiles["pr"].limit == Limit(runs=3, max_variants=1, harness=("claude",))
    assert whole.profiles["quick"].limit == Limit(compare=False)


def test_where_each_key_stands(whole: Settings) -> None:
    assert whole.sources["evals"] == "reeval.toml:2"
    line = next(n for n, text in enumerate(WHOLE.split("\n"), 1) if "DB_URL" in text)
    assert whole.sources["environments.base.env.DB_URL"] == f"reeval.toml:{line}"


def test_the_hash_is_of_what_decides_results(tmp_path: Path) -> None:
    def hashed(text: str) -> str:
        return load(tmp_path, text).hash

    plain = hashed("runs = 2")
    assert hashed("concurrency = 9\nruns = 2\nrecord = 'always'\nartifacts = 'none'") == plain
    assert hashed("runs = 3") != plain
    assert hashed("runs = 2\ntags = ['a']") != plain


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────

WRONG = [
    ("runz = 3", 'reeval.toml:1: unknown key "runz"; did you mean "runs"?'),
    ("xyzzy = 3", None),
    ('runs = "three"', 'reeval.toml:1: runs takes a whole number from 1 (got "three")'),
    ("runs = 0", "reeval.toml:1: runs takes a whole number from 1 (got 0)"),
    ("runs = 2.5", "reeval.toml:1: runs takes a whole number from 1 (got 2.5)"),
    ("runs = true", "reeval.toml:1: runs takes a whole number from 1 (got true)"),
    ("concurrency = -1", "reeval.toml:1: concurrency takes a whole number from 1 (got -1)"),
    (
        '\n\ntimeout = "10 minutes"',
        'reeval.toml:3: timeout takes a duration such as "90s" or "15m", or a number of seconds '
        '(got "10 minutes")',
    ),
    (
        "timeout = 0",
        'reeval.toml:1: timeout takes a duration such as "90s" or "15m", or a number of seconds '
        "(got 0)",
    ),
    (
        "[budget]\nduration = '45'",
        'reeval.toml:2: budget.duration takes a duration such as "90s" or "15m", or a number of '
        'seconds (got "45")',
    ),
    (
        "[budget]\nattempt = 1",
        'reeval.toml:2: unknown key "budget.attempt"; did you mean "attempts"?',
    ),
    ("record = 'never'", 'reeval.toml:1: record takes "manual", "ci" or "always" (got "never")'),
    (
        "artifacts = []",
        'reeval.toml:1: artifacts takes "all", "failures" or "none" (got an empty list)',
    ),
    ("history = '/tmp/x'", 'reeval.toml:1: history takes a path inside the project (got "/tmp/x")'),
    (
        "evals = ['ok/*.py', '../x/*.py']",
        'reeval.toml:1: evals[1] takes a path inside the project (got "../x/*.py")',
    ),
    ("tags = 'net'", 'reeval.toml:1: tags takes a list of tags (got "net")'),
    ("harness = []", "reeval.toml:1: harness takes at least 1 of harnesses (got an empty list)"),
    (
        "harness = 3",
        'reeval.toml:1: harness takes a harness such as "claude-code:claude-sonnet-5", or a list '
        "of them (got 3)",
    ),
    (
        "harness = ['fake', 'cluade']\n[harnesses.claude]\nkind = 'claude-code'",
        'reeval.toml:1: harness[1]: unknown harness "cluade"; did you mean "claude"?',
    ),
    (
        "harness = 'codex:'",
        'reeval.toml:1: harness: unknown harness "codex:"; did you mean "codex"?',
    ),
    (
        "[harnesses.a]\nmodel = 'x'",
        'reeval.toml:1: harnesses.a needs kind: "claude-code", "codex", "opencode", "pi", "goose", '
        '"cursor", "antigravity", "fx", "grok-build", "gemini", "acp" or "fake"',
    ),
    (
        "[harnesses.a]\nkind = 'claude'",
        'reeval.toml:2: harnesses.a.kind: unknown kind of harness "claude"; did you mean '
        '"claude-code"?',
    ),
    (
        "[harnesses.a]\nkind = 'fake'\nscrpt = []",
        'reeval.toml:3: unknown key "harnesses.a.scrpt"; did you mean "script"?',
    ),
    (
        "[harnesses.a]\nkind = 'fake'\nscript = [[{ exec = 'ls', reply = 'x' }]]",
        "reeval.toml:3: harnesses.a.script[0][0] needs exactly one of exec, write, reply, "
        "mcp and error",
    ),
    (
        "[harnesses.a]\nkind = 'fake'\nflake_rate = 1.5",
        "reeval.toml:3: harnesses.a.flake_rate takes a number from 0 to 1 (got 1.5)",
    ),
    (
        "[harnesses.a]\nkind = 'codex'\ngateway = 'litelm'\n[gateways.litellm]\n"
        "base_url = 'http://x'\nprotocols = ['anthropic']",
        'reeval.toml:3: harnesses.a.gateway: unknown gateway "litelm"; did you mean "litellm"?',
    ),
    (
        "gateway = ['drect']",
        'reeval.toml:1: gateway[0]: unknown gateway "drect"; did you mean "direct"?',
    ),
    (
        "environment = 'bse'\n[environments.base]",
        'reeval.toml:1: environment: unknown environment "bse"; did you mean "base"?',
    ),
    (
        "environment = 'zzz'",
        'reeval.toml:1: environment: unknown environment "zzz"; define it in reeval.toml or with '
        "define_environment",
    ),
    (
        "[environments.a]\nextends = 'b'\n[environments.b]\nextends = 'a'",
        "reeval.toml:4: environments.b.extends leads back to itself: a → b → a",
    ),
    (
        "[environments.a]\nextends = 'bse'\n[environments.base]",
        'reeval.toml:2: environments.a.extends: unknown environment "bse"; did you mean "base"?',
    ),
    (
        "[environments.base]\nskils = []",
        'reeval.toml:2: unknown key "environments.base.skils"; did you mean "skills"?',
    ),
    (
        "[environments.base]\nenv = { PORT = 3000 }",
        'reeval.toml:2: environments.base.env.PORT takes text or { secret = "NAME" } (got 3000)',
    ),
    (
        "[environments.base]\nenv = {\n  OK = '1',\n  'NOT-OK' = '1',\n}",
        "reeval.toml:4: environments.base.env.NOT-OK: its key is not a variable's name",
    ),
    (
        "[environments.base]\nenv = { T = { secret = 'T', host = ['a'] } }",
        'reeval.toml:2: unknown key "environments.base.env.T.host"; did you mean "hosts"?',
    ),
    (
        "[environments.base]\nfiles = { '../x' = '' }",
        'reeval.toml:2: environments.base.files."../x": its key is not a path in the workspace or '
        "under ~/",
    ),
    (
        "[environments.base]\nsetup = [\n  'ok',\n  { run = 'x', timeout = 'soon' },\n]",
        'reeval.toml:4: environments.base.setup[1].timeout takes a duration such as "90s" or '
        '"15m", or a number of seconds (got "soon")',
    ),
    (
        "[environments.base]\nmcp = { docs = { args = [] } }",
        "reeval.toml:2: environments.base.mcp.docs needs command, to start a server, or url, to "
        "reach one",
    ),
    (
        "[environments.base]\nskills = [{ gti = 'x' }]",
        "reeval.toml:2: environments.base.skills[0] takes a folder, or a table with local, git, "
        "npm, registry or inline (got a table)",
    ),
    (
        "[environments.base]\negress = { allow = ['https://api.example.com'] }",
        'reeval.toml:2: environments.base.egress.allow[0] takes a host such as "api.example.com" '
        'or "*.example.com", or "@registries" (got "https://api.example.com")',
    ),
    (
        "egress = 'none'",
        'reeval.toml:1: egress takes "proxy", "allow-all", "deny-all" or '
        '{ allow = ["api.example.com"] } (got "none")',
    ),
    (
        "[sandbox]\nkind = 'dcoker'",
        'reeval.toml:2: sandbox.kind: unknown kind of sandbox "dcoker"; did you mean "docker"?',
    ),
    (
        "[sandbox]\nkind = 'docker'\nimage = 'a'\nfrom = 'b'",
        "reeval.toml:1: sandbox has image and from: the machine is made from one of them",
    ),
    (
        "gate = { pass_rate = 80 }",
        "reeval.toml:1: gate.pass_rate takes a number from 0 to 1 (got 80)",
    ),
    (
        "[judge]\nmodel = 'gpt'",
        'reeval.toml:2: judge.model takes a model as "provider/model", such as '
        '"anthropic/claude-sonnet-5" (got "gpt")',
    ),
    (
        "[judge]\nstate = { transcrpt = true }",
        'reeval.toml:2: unknown key "judge.state.transcrpt"; did you mean "transcript"?',
    ),
    (
        "[compare]\nvariants = ['a', 'a']\n[environments.a]",
        'reeval.toml:1: compare names the environment "a" twice',
    ),
    (
        "[profiles.pr]\nlimt = {}",
        'reeval.toml:2: unknown key "profiles.pr.limt"; did you mean "limit"?',
    ),
    (
        "[profiles.pr]\nwhen = { on = 'push' }",
        'reeval.toml:2: unknown key "profiles.pr.when.on"; known are branch, ci, event',
    ),
    (
        "[profiles.pr]\ndefaults = { harness = 'codx' }",
        'reeval.toml:2: profiles.pr.defaults.harness: unknown harness "codx"; did you mean '
        '"codex"?',
    ),
    (
        "[profiles.pr]\nlimit = { harness = ['codx'] }",
        'reeval.toml:2: profiles.pr.limit.harness: unknown harness "codx"; did you mean "codex"?',
    ),
    (
        "[profiles.pr]\nlimit = { runs = 'x' }",
        'reeval.toml:2: profiles.pr.limit.runs takes a whole number from 1 (got "x")',
    ),
    (
        "[network]\nca_file = 'no.pem'",
        "reeval.toml:2: network.ca_file: there is no file {root}/no.pem",
    ),
    (
        "[network]\nresolve = { a = 'b' }",
        'reeval.toml:2: network.resolve.a takes an address such as "127.0.0.1:8443" (got "b")',
    ),
    (
        "[gateways.x]\nkey = 'K'",
        'reeval.toml:1: gateways.x needs base_url: a URL such as "http://127.0.0.1:4000"',
    ),
    ("runs = ", "reeval.toml:1: this is not TOML: invalid value"),
    (
        "[a\nb = 1",
        "reeval.toml:1: this is not TOML: expected ']' at the end of a table declaration",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text for text, _ in WRONG])
def test_a_mistake_is_answered_with_its_line_and_the_right_spelling(
    tmp_path: Path, text: str, message: str | None
) -> None:
    answer = refused(tmp_path, text)
    if message is None:
        assert answer.startswith('reeval.toml:1: unknown key "xyzzy"; known are artifacts, budget,')
    else:
        assert answer == message.replace("{root}", str(tmp_path))


def test_a_file_that_is_not_utf8_is_named_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "reeval.toml").write_bytes(b"runs = 1\n# caf\xe9\n")
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path, {})
    assert str(caught.value).endswith("reeval.toml:2: this is not UTF-8 text: save it as UTF-8")


def test_the_shown_key_is_not_said_twice() -> None:
    assert (
        str(UsageError("runs takes text", file="f", line=1, key="runs")) == "f:1: runs takes text"
    )
    assert str(UsageError("it is wrong", file="f", key="runs")) == "f: runs: it is wrong"
