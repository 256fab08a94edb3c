"""The simple commands in a shell command line."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reeval.grading.shell import simple_commands

LETTERS = [["b"], ["c"], ["d"], ["e"]]

CASES = [
    # lists, pipes, groups
    ("npm test", [["npm", "test"]]),
    ("cd x && npm test", [["cd", "x"], ["npm", "test"]]),
    ("a;b\nc&d||e|f|&g", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
    ("(cd x; ls) && { a; b; }", [["cd", "x"], ["ls"], ["a"], ["b"]]),
    ("a \\\n  b", [["a", "b"]]),
    ("! grep x y", [["grep", "x", "y"]]),
    ("", []),
    ("  \n ; \n", []),
    # wrappers
    ("bash -lc 'cd x && npm test'", [["cd", "x"], ["npm", "test"]]),
    ('/bin/sh -c "npm \\"run\\" x"', [["npm", "run", "x"]]),
    ("bash -e -o pipefail script.sh", [["bash", "-e", "-o", "pipefail", "script.sh"]]),
    ("bash script.sh -c x", [["bash", "script.sh", "-c", "x"]]),
    ("bash -x", [["bash", "-x"]]),
    ("bash", [["bash"]]),
    ('eval "npm test"', [["npm", "test"]]),
    ("A=1 B='x y' npm test", [["npm", "test"]]),
    ("env -u B A=1 npm test", [["npm", "test"]]),
    ("env", [["env"]]),
    ("sudo -u me -E env A=1 npm test", [["npm", "test"]]),
    ("sudo bash -c 'sudo npm test'", [["npm", "test"]]),
    ("timeout -k 5 10s npm test", [["npm", "test"]]),
    ("nohup nice -n 5 /usr/bin/make all &", [["/usr/bin/make", "all"]]),
    ("time command npm test", [["npm", "test"]]),
    ("A=1", []),
    # substitutions
    ("echo $(git log -1)", [["git", "log", "-1"], ["echo", "$(git log -1)"]]),
    ('echo "at $(pwd)" `date +s`', [["pwd"], ["date", "+s"], ["echo", "at $(pwd)", "`date +s`"]]),
    ("x=$(npm test)", [["npm", "test"]]),
    ("a $(b $(c) '$(d)')", [["c"], ["b", "$(c)", "$(d)"], ["a", "$(b $(c) '$(d)')"]]),
    ("diff <(cat a) <(cat b)", [["cat", "a"], ["cat", "b"], ["diff", "<(cat a)", "<(cat b)"]]),
    ("echo ${A:-$(x)} $((1 + 2)) $B", [["echo", "${A:-$(x)}", "$((1 + 2))", "$B"]]),
    # redirections
    ("make >out 2>&1 </dev/null", [["make"]]),
    (">out make &>> log", [["make"]]),
    ("make 2> >(tee err)", [["tee", "err"], ["make"]]),
    ("cmd 3", [["cmd", "3"]]),
    ("cat <<< 'npm test'", [["cat"]]),
    ("cat <<EOF > f\nnpm test\nEOF\nls", [["cat"], ["ls"]]),
    ("cat <<-'END'\n\tnpm test\n\tEND\nls", [["cat"], ["ls"]]),
    ("cat <<A <<B\n1\nA\n2\nB\nls", [["cat"], ["ls"]]),
    ("cat <<EOF\nunended", [["cat"]]),
    # compound commands
    ("if [ -f a ]; then b; elif c; then d; else e; fi", [["[", "-f", "a", "]"], *LETTERS]),
    ("if [[ -f a && b < c ]]; then make; fi > log", [["make"]]),
    ("for f in *.py; do black \"$f\"; done | tee x", [["black", "$f"], ["tee", "x"]]),
    ("while read l; do echo $l; done < f", [["read", "l"], ["echo", "$l"]]),
    ("case $x in a|b) one ;; (*) two;; esac; after", [["one"], ["two"], ["after"]]),
    ("(( x > 3 )) && npm test", [["npm", "test"]]),
    ("f() { inner; }; f", [["inner"], ["f"]]),
    ("function g { inner; }", [["inner"]]),
    ("a=(1 2 3) && ls", [["ls"]]),
    # mentions
    ('echo "npm test"', [["echo", "npm test"]]),
    ("git commit -m 'ran; npm test && ls'", [["git", "commit", "-m", "ran; npm test && ls"]]),
    ("ls # && npm test\npwd", [["ls"], ["pwd"]]),
    ("echo a#b", [["echo", "a#b"]]),
    ("echo \\; ls", [["echo", ";", "ls"]]),
    ("echo $'a\\tb\\'c'", [["echo", "a\tb'c"]]),
    ("'if' x", [["if", "x"]]),
    ("echo if then", [["echo", "if", "then"]]),
    # what can't be read is one command of its words
    ('echo "npm test', [["echo", '"npm', "test"]]),
    ("don't stop", [["don't", "stop"]]),
    ("echo $(ls", [["echo", "$(ls"]]),
    ("ls )", [["ls", ")"]]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "commands"), CASES)
def test_the_commands_of_a_line(line, commands):
    assert simple_commands(line) == commands


# A first word is no keyword, wrapper or assignment: those have rows above.
programs = st.sampled_from(["npm", "git", "python3", "./run.sh", "[", "make"])
words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
argvs = st.builds(lambda program, rest: [program, *rest], programs, st.lists(words, max_size=4))
glue = st.sampled_from([" && ", " || ", "; ", " | ", "\n", " & ", " |& ", " 2>&1 | ", " >log\n"])

WRAPPINGS = {
    "plain": lambda line: line,
    "subshell": lambda line: f"( {line} )",
    "group": lambda line: f"{{ {line}\n}}",
    "bash": lambda line: f"bash -lc {shlex.quote(line)}",
    "sudo": lambda line: f"sudo -u root sh -c {shlex.quote(line)} 2>/dev/null",
    "if": lambda line: f"if {line}\nthen {line}\nfi",
    "spaced": lambda line: f"  A=1 B='2 3' env X=y nohup bash -c {shlex.quote(line)} \t&",
}


@given(
    argvs,
    st.lists(st.tuples(glue, argvs), max_size=3),
    st.lists(st.sampled_from(list(WRAPPINGS)), max_size=3),
)
def test_commands_are_found_through_any_nesting(first, rest, wrappings):
    expected = [first, *(argv for _, argv in rest)]
    line = shlex.join(first) + "".join(mark + shlex.join(argv) for mark, argv in rest)
    for name in wrappings:
        line = WRAPPINGS[name](line)
        expected *= 2 if name == "if" else 1
    assert simple_commands(line) == expected


@given(argvs, argvs)
def test_a_quoted_mention_is_one_word_and_a_substitution_is_a_command(ran, mentioned):
    line = shlex.join(mentioned)
    assert simple_commands(shlex.join([*ran, line])) == [[*ran, line]]
    assert simple_commands(f"echo {shlex.quote(line)}") == [["echo", line]]
    if "`" not in line:
        assert simple_commands(f'{shlex.join(ran)} "$({line})"')[:-1] == [mentioned]


@given(st.text(st.sampled_from("a '\"\\$(){}`;&|<>\n#=[]!-"), max_size=30) | st.text(max_size=30))
def test_any_text_has_commands_and_never_raises(line):
    for command in simple_commands(line):
        assert command
        assert all(isinstance(word, str) for word in command)


def test_deep_nesting_falls_back_to_words():
    line = "$(" * 5000 + "ls" + ")" * 5000
    assert simple_commands(line) == [[line]]
