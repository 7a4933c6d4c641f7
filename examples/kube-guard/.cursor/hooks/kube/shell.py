"""Every simple command that a shell command would start, as words. Where the reading is not sure, it gives one command
too many, never one too few. Refused is raised for a text that ends inside a quotation or a parenthesis."""

from __future__ import annotations

import re
from typing import NamedTuple

#: Marks what only the shell knows: a variable, a substitution, a pattern.
MARK = "\x02"
MOST = 500
_KEYWORDS = {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "coproc", "fi", "done", "esac"}
_SHELLS = re.compile(r"(?:ba|da|z|k|mk|a|fi)?sh$")
# Programs that start another one: their options with a word of their own, and the words before the program.
_WRAPPERS = {
    "sudo": ("-u -g -h -p -C -D -R -T -U -r -t --user --group --chdir", 0), "doas": ("-u -C", 0), "env": ("-u -C -S --unset", 0),
    "command": ("", 0), "builtin": ("", 0), "exec": ("-a", 0), "nohup": ("", 0), "setsid": ("", 0), "nice": ("-n", 0),
    "ionice": ("-c -n", 0), "time": ("-f -o", 0), "timeout": ("-s -k --signal --kill-after", 1), "stdbuf": ("-i -o -e", 0),
    "xargs": ("-I -n -P -L -d -E -s -a", 0), "watch": ("-n --interval", 0), "chroot": ("", 1), "flock": ("-w", 1),
    "microk8s": ("", 0), "k3s": ("", 0), "minikube": ("-p --profile", 0), "aws-vault": ("", 2), "dotenv": ("-f -e", 0),
}


class Refused(Exception):
    """The text cannot be read."""


class Command(NamedTuple):
    """`variables` are set for this command alone; `stdin` is the text that is put in, when it stands in the command."""

    words: list[str]
    variables: dict[str, str]
    writes: list[str]
    stdin: str | None


def commands(text: str) -> list[Command]:
    found: list[Command] = []
    todo = [text]
    while todo:
        if len(found) > MOST or len(todo) > MOST:
            raise Refused("it starts too many programs")
        try:
            _Reader(todo.pop(0), found, todo).all()
        except RecursionError:
            raise Refused("it is nested too deeply") from None
    return found


def plain(word: str) -> str:
    return word.replace(MARK, "")


class _Reader:
    def __init__(self, text: str, found: list[Command], todo: list[str]) -> None:
        self.text = text
        self.at = 0
        self.found = found
        self.todo = todo

    def all(self) -> None:
        while self.at < len(self.text):
            self.list("")

    def see(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def list(self, stop: str) -> None:
        """Commands up to `stop`, which is ")" or the end."""
        words: list[str] = []
        writes: list[str] = []
        stdin: list[str] = []
        waiting: list[tuple[str, bool, bool]] = []
        line = len(self.found)  # the first command of this line
        cases = 0
        pattern = False
        while self.at < len(self.text):
            letter = self.see()
            if letter in " \t\r":
                self.at += 1
            elif letter == "#":
                self.at = self.line_end()
            elif letter == "\\" and self.see(2) == "\\\n":
                self.at += 2
            elif letter in "<>" and self.see(2)[1:] != "(" or self.see(2) == "&>":
                self.redirection(writes, stdin, waiting)
            elif letter == "(" and pattern:
                self.at += 1
            elif letter == "(":
                if re.match(r"\( *\)", self.text[self.at :]):  # a function; its body is read like any other
                    self.at = self.text.index(")", self.at) + 1
                    words = []
                    continue
                self.at = self.arithmetic() or self.at + 1
                if self.text[self.at - 2 : self.at] != "))":
                    self.list(")")
            elif letter in ");&|\n":
                self.at += 1
                if not pattern:
                    self.finish(words, writes, stdin)
                words, writes, stdin = [], [], []
                if letter == ")":
                    if stop and not pattern:
                        return
                    pattern = False
                if letter == ";" and self.see() in (";", "&"):
                    pattern = cases > 0
                if letter == "\n":
                    if waiting:
                        self.late(line, "".join([self.document(*each) for each in waiting]))
                    waiting, line = [], len(self.found)
            else:
                word = self.word()
                if word == "esac" and not words and cases:
                    cases, pattern = cases - 1, False
                elif word == "in" and words[-2:-1] == ["case"] and _KEYWORDS.issuperset(words[:-2]):
                    words, cases, pattern = [], cases + 1, True
                else:
                    words.append(word)
        self.finish(words, writes, stdin)
        if stop:
            raise Refused("a parenthesis has no end")

    def line_end(self) -> int:
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def word(self) -> str:
        out = []
        while self.at < len(self.text) and self.see() not in " \t\r\n;&|()":
            letter = self.see()
            if letter in "<>":
                if self.see(2)[1:] != "(":
                    break
                start, self.at = self.at, self.at + 2
                self.list(")")
                out.append(MARK + self.text[start : self.at])
            elif letter in "'\"\\$`":
                out.append(self.piece())
            else:
                # A separate brace or bracket is a reserved word of the shell.
                alone = letter in "{[" and not out and self.see(2)[1:] in ("", " ", "\n", "\t", "[")
                out.append((MARK if letter in "*?[{" and not alone else "") + letter)
                self.at += 1
        return "".join(out)

    def piece(self) -> str:
        start = self.at
        letter = self.see()
        self.at += 1
        if letter == "\\":
            self.at += 1
            return self.text[self.at - 1 : self.at].replace("\n", "")
        if letter == "'":
            return self.until("'")
        if letter == '"':
            return self.double('"')
        if letter == "`":
            self.todo.append(re.sub(r"\\([`\\$])", r"\1", self.until("`", escapes=True)))
            return MARK + self.text[start : self.at]
        after = self.see()
        if after == "'":
            self.at += 1
            return _ansi(self.until("'", escapes=True))
        if after == '"':
            self.at += 1
            return self.double('"')
        if after == "{":
            self.at += 1
            self.double("}")
        elif after == "(":
            end = self.arithmetic()
            self.at = end or self.at + 1
            if not end:
                self.list(")")
        else:
            name = re.compile(r"[A-Za-z_]\w*|[0-9@*#?!$-]").match(self.text, self.at)
            if not name:
                return "$"
            self.at = name.end()
        return MARK + self.text[start : self.at]

    def until(self, end: str, escapes: bool = False) -> str:
        start = self.at
        while self.at < len(self.text):
            if self.see() == end:
                self.at += 1
                return self.text[start : self.at - 1]
            self.at += 2 if escapes and self.see() == "\\" else 1
        raise Refused("a quotation has no end")

    def double(self, end: str) -> str:
        out = []
        while self.at < len(self.text):
            letter = self.see()
            if letter == end:
                self.at += 1
                return "".join(out)
            if letter == "\\":
                after = self.see(2)[1:]
                out.append("" if after == "\n" else after if after in '$`"\\' else "\\" + after)
                self.at += 2
            elif letter == "`" or (letter == "$" and self.see(2)[1:] not in ("'", '"')):
                out.append(self.piece())
            elif end == "}" and letter in "\"'":
                out.append(self.piece())
            else:
                out.append(letter)
                self.at += 1
        if end:
            raise Refused("a quotation has no end")
        return "".join(out)

    def arithmetic(self) -> int:
        """Behind (( ... )) when only numbers and names are calculated there, else 0."""
        found = re.compile(r"\(\([\w \t+*/%<>=!&|^~?:,$-]*\)\)").match(self.text, self.at)
        return found.end() if found else 0

    def redirection(self, writes: list[str], stdin: list[str], waiting: list[tuple[str, bool, bool]]) -> None:
        found = re.compile(r"&>>?|<<<|<<-?|[<>]+[&|]?").match(self.text, self.at)
        assert found
        self.at = found.end()
        while self.see() in (" ", "\t"):
            self.at += 1
        start = self.at
        target = self.word()
        sign = found.group()
        if sign in ("<<", "<<-"):
            raw = self.text[start : self.at]
            waiting.append((plain(target), sign == "<<-", bool(re.search(r"['\"\\]", raw))))
        elif sign == "<<<":
            stdin.append(target)
        elif ">" in sign:
            writes.append(target)

    def document(self, end: str, tabs: bool, is_quoted: bool) -> str:
        rows = []
        while self.at < len(self.text):
            stop = self.line_end()
            row = self.text[self.at : stop]
            self.at = stop + 1
            row = row.lstrip("\t") if tabs else row
            if row == end:
                break
            rows.append(row)
        body = "\n".join(rows) + "\n"
        return body if is_quoted else _Reader(body, self.found, self.todo).double("")

    def late(self, line: int, text: str) -> None:
        """A here-document is read after its commands were; any of the line may get its text through a pipe."""
        for at in range(line, len(self.found)):
            self.found[at] = self.found[at]._replace(stdin=text)
            if _SHELLS.match(self.found[at].words[0].rsplit("/", 1)[-1]):
                self.todo.append(plain(text))

    def finish(self, words: list[str], writes: list[str], stdin: list[str]) -> None:
        variables: dict[str, str] = {}
        words = list(words)
        while words:
            set_here = re.match(r"([A-Za-z_]\w*)\+?=(.*)", words[0], re.S)
            if set_here:
                variables[set_here[1]] = set_here[2]
            elif words[0] not in _KEYWORDS:
                break
            words.pop(0)
        if not words and not writes:
            return
        if words and words[0] in ("for", "select", "case", "function"):
            words = words[2:] if words[0] == "function" else []
        if "{" in words[1:]:
            self.finish(words[words.index("{", 1) + 1 :], [], stdin)
        text = "".join(stdin) if stdin else None
        for start in self.starts(words):
            name = start[0].rsplit("/", 1)[-1].lower()
            if _SHELLS.match(name):
                self.shell(start[1:], text)
            elif name == "eval":
                self.todo.append(plain(" ".join(start[1:])))
            elif name in ("alias", "trap"):
                self.todo.extend(plain(word.split("=", 1)[-1]) for word in start[1:])
            elif name == "find":
                self.finds(start)
            self.found.append(Command(start, variables, writes, text))
        if not words and writes:
            self.found.append(Command([""], variables, writes, text))

    def starts(self, words: list[str]) -> list[list[str]]:
        """The command behind its wrappers; more than one where an option is not known."""
        if not words:
            return []
        name = words[0].rsplit("/", 1)[-1].lower()
        if name not in _WRAPPERS:
            return [words]
        options, before = _WRAPPERS[name]
        unsure = False
        at = 1
        while at < len(words):
            word = words[at]
            if word.startswith("-"):
                if name == "env" and re.match(r"-\w*S", word):
                    self.todo.append(plain(" ".join([word.split("S", 1)[1], *words[at + 1 :]])))
                    return []
                if name == "command" and word in ("-v", "-V"):
                    return []
                if word in options.split():
                    at += 1
                elif len(word) > 2 and word not in ("--",):
                    unsure = True
            elif re.match(r"[A-Za-z_]\w*=", word):
                pass
            elif before > 0:
                before -= 1
            else:
                break
            at += 1
        if name == "watch":
            self.todo.append(plain(" ".join(words[at:])))
        return self.starts(words[at:]) + (self.starts(words[at + 1 :]) if unsure else [])

    def shell(self, words: list[str], stdin: str | None) -> None:
        program = False
        for at, word in enumerate(words):
            if re.match(r"-\w*c", word):
                program = True
            elif word[:1] not in ("-", "+"):
                if program:
                    self.todo.append(plain(word))
                else:  # a file is looked for like a program
                    self.finish(words[at:], [], [])
                return
        if stdin:
            self.todo.append(plain(stdin))

    def finds(self, words: list[str]) -> None:
        for at, word in enumerate(words):
            if word in ("-exec", "-execdir", "-ok", "-okdir"):
                inner = words[at + 1 :]
                end = next((k for k, each in enumerate(inner) if each in (";", "+")), len(inner))
                self.finish(inner[:end], [], [])


def _ansi(text: str) -> str:
    names = {"n": "\n", "t": "\t", "r": "\r", "a": "", "b": "", "e": "", "f": " ", "v": " "}

    def one(found: re.Match[str]) -> str:
        hexadecimal, octal, letter = found.groups()
        if hexadecimal:
            return chr(min(int(hexadecimal, 16), 0x10FFFF))
        if octal:
            return chr(int(octal, 8))
        return names.get(letter, letter)

    return re.sub(r"\\(?:[xuU]([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))", one, text, flags=re.S)
