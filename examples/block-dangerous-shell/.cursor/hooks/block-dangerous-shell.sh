#!/bin/sh
# Stops commands that destroy what cannot be got back; asks where it cannot tell.
# commands.awk finds every program that a command would start; each one is then looked at by its name.
LC_ALL=C
export LC_ALL
folder=${0%/*}
awk_file=${1:-$folder/commands.awk}
PROTECTED_BRANCHES=' main master production release trunk '
US=$(printf '\037') MARK=$(printf '\002') OUT=$(printf '\003') BROKEN=$(printf '\006')

# answer PERMISSION TEXT-FOR-THE-PERSON TEXT-FOR-THE-MODEL
answer() {
  printf '{"permission":"%s","user_message":"%s","agent_message":"%s"}\n' "$1" "$(json "$2")" "$(json "$3")"
  exit 0
}
json() { printf '%s' "$1" | tr -d '\000-\037' | cut -c1-400 | sed 's/[\\"]/\\&/g'; }
deny() { answer deny "Blocked: $1" "$1 ${2:-Do not look for another way to do it; say what you need and let the person decide.}"; }
ask() { [ -n "$question" ] || question=$1; }
shown() { printf '%s' "$1" | tr -d "$MARK$OUT" | cut -c1-120; }

# Two lines, cwd and the workspace root; then the command, which may have lines of its own.
read_payload() {
  if command -v jq > /dev/null; then
    jq -ers 'select(length == 1)[0] | select(.command | type == "string")
      | "\(.cwd // "" | tostring | gsub("\n"; " "))\n\(.workspace_roots[0]? // "" | tostring | gsub("\n"; " "))\n\(.command)"'
  elif command -v python3 > /dev/null; then
    python3 -I -S -c 'import json, sys
given = json.loads(sys.stdin.buffer.read())
command = given["command"] + ""
roots = given.get("workspace_roots") or [""]
line = lambda text: str(text or "").replace("\n", " ")
text = line(given.get("cwd")) + "\n" + line(roots[0]) + "\n" + command
sys.stdout.buffer.write(text.encode("utf-8", "replace"))'
  elif command -v node > /dev/null; then
    node -e 'const given = JSON.parse(require("fs").readFileSync(0, "utf8"))
if (typeof given.command !== "string") process.exit(1)
const line = text => String(text ?? "").replaceAll("\n", " ")
process.stdout.write([line(given.cwd), line(given.workspace_roots?.[0]), given.command].join("\n"))'
  else
    echo 'block-dangerous-shell: needs jq, python3 or node to read its payload.' >&2
    return 1
  fi
}

. "$folder/dangers.sh" || answer deny 'Blocked: dangers.sh is not beside the guard.' 'The guard is not whole. Tell the person.'

payload=$(read_payload) || deny 'the guard could not read what is about to run.' 'Tell the person; do not try again.'
cwd=${payload%%"
"*}
payload=${payload#*"
"}
root=${payload%%"
"*}
command=${payload#*"
"}
root=${root:-${CURSOR_PROJECT_DIR:-}}
here=${cwd:-$root}
found=$(printf '%s\n' "$command" | awk -f "$awk_file") ||
  deny 'this command is nested too deeply to be read.' 'Write it in a simpler way.'

question='' download='' defined='' calls=0
set -f
newline='
'
IFS=$newline
for line in $found; do
  IFS=$US
  set -- $line
  IFS=$newline
  link=$1 name=$2
  shift 2 2> /dev/null || continue
  look_at "$@"
done
[ -z "$question" ] || answer ask "$question Run it?" "$question The person is asked first."
echo '{}'
