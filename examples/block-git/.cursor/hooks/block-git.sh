#!/bin/sh
# Keeps the agent from running git, and asks before it uses gh. Everything else passes.
# commands.awk finds every program that a command would start; a name that only the shell can know is asked about.
LC_ALL=C
export LC_ALL
awk_file=${1:-${0%/*}/commands.awk}
US=$(printf '\037') MARK=$(printf '\002') BROKEN=$(printf '\006')

# answer PERMISSION TEXT-FOR-THE-PERSON TEXT-FOR-THE-MODEL
answer() {
  printf '{"permission":"%s","user_message":"%s","agent_message":"%s"}\n' "$1" "$(json "$2")" "$(json "$3")"
  exit 0
}
json() { printf '%s' "$1" | tr -d '\000-\037' | sed 's/[\\"]/\\&/g'; }

# The command as it stands in the payload, by whatever reads JSON here.
read_command() {
  if command -v jq > /dev/null; then jq -ers 'select(length == 1)[0].command | strings'
  elif command -v python3 > /dev/null; then
    python3 -I -S -c 'import json, sys
text = json.loads(sys.stdin.buffer.read())["command"]
sys.stdout.buffer.write(text.encode("utf-8", "replace"))'
  elif command -v node > /dev/null; then
    node -e 'const { command } = JSON.parse(require("fs").readFileSync(0, "utf8"))
if (typeof command !== "string") process.exit(1)
process.stdout.write(command)'
  else
    echo 'block-git: needs jq, python3 or node to read its payload.' >&2
    return 1
  fi
}

command=$(read_command) ||
  answer deny 'Blocked: the git guard could not read what is about to run.' 'The git guard could not read its payload. Tell the person; do not try again.'
found=$(printf '%s\n' "$command" | awk -f "$awk_file") ||
  answer deny 'Blocked: this command is nested too deeply for the git guard to read.' 'Write the command in a simpler way.'

asked=
set -f
IFS='
'
for line in $found; do
  link=${line%%"$US"*}
  rest=${line#*"$US"}
  name=${rest%%"$US"*}
  case $name in
    git | git-* | gitk | tig | lazygit)
      answer deny "Blocked: the agent may not run $name here. Run it yourself if it is right." \
        "$name is blocked in this project. Leave version control to the person: say which files you changed and propose a commit message. Read files directly where you wanted a diff or the history." ;;
    gh | hub) asked="$name reaches GitHub with your account." ;;
    "$BROKEN") asked=${asked:-'This command ends inside a quotation or a parenthesis, so the git guard cannot read it.'} ;;
    sh | bash | dash | zsh | ksh | ash | fish)
      # With a script of its own it was read; without one it runs what comes through the pipe.
      case "$link$rest" in "|$name" | "|$name$US-"* | "|$name$US/dev/stdin"* | "|$name$US/dev/fd/0"* | "|$name$US/proc/self/fd/0"*)
        case $rest in *"$US"-*c*"$US"*) ;; *) asked=${asked:-"$name runs whatever comes through the pipe; the git guard cannot see it."} ;; esac ;;
      esac ;;
    source | .) case $link$rest in "|$name$US/dev/stdin"* | "|$name$US/dev/fd/0"*) asked=${asked:-"$name runs whatever comes through the pipe; the git guard cannot see it."} ;; esac ;;
    *"$MARK"*)
      [ "$link" = '[' ] || asked=${asked:-"Only the shell knows which program this starts: $(printf '%s' "$name" | tr -d "$MARK" | cut -c1-80). It may be git."} ;;
  esac
done
[ -z "$asked" ] || answer ask "$asked Run it?" "$asked The person is asked first."
echo '{}'
