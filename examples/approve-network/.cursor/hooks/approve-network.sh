#!/bin/sh
# Asks before a command reaches the network, unless every host it names is in allowed-hosts.conf.
# commands.awk finds every program that a command would start, whatever the matcher saw.
LC_ALL=C
export LC_ALL
awk_file=${1:-${0%/*}/commands.awk}
allowed_file=${2:-${0%/*}/allowed-hosts.conf}
US=$(printf '\037') MARK=$(printf '\002') BROKEN=$(printf '\006')
BLANK=$(printf ' \t\r')
newline='
'

# answer PERMISSION TEXT-FOR-THE-PERSON TEXT-FOR-THE-MODEL
answer() {
  printf '{"permission":"%s","user_message":"%s","agent_message":"%s"}\n' "$1" "$(json "$2")" "$(json "$3")"
  exit 0
}
json() { printf '%s' "$1" | tr -d '\000-\037' | cut -c1-400 | sed 's/[\\"]/\\&/g'; }
ask() { [ -n "$question" ] || question=$1; }
shown() { printf '%s' "$1" | tr -d "$MARK" | cut -c1-120; }

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
    echo 'approve-network: needs jq, python3 or node to read its payload.' >&2
    return 1
  fi
}

# destination WORD: asks, unless its host is allowed.
destination() {
  host=$(printf '%s' "$1" | tr 'A-Z' 'a-z')
  host=${host#*://}
  host=${host%%[/?#]*}
  # Names before an @, brackets, braces and variables can mean another host than the one that is read.
  case $host in '' | *[!a-z0-9.:-]*) ask "$name would reach $(shown "$1")."; return ;; esac
  host=${host%%:*}
  while IFS= read -r pattern || [ -n "$pattern" ]; do
    pattern=${pattern%%["$BLANK#"]*}
    case $pattern in
      '') ;;
      '*.'*) case $host in *"${pattern#'*'}") return ;; esac ;;
      "$host") return ;;
    esac
  done < "$allowed_file"
  ask "$name would reach $host."
}

# What is neither an option nor the value of one is a destination. An option that is not known here has no value, so
# that its value is asked about.
fetches() {
  values='' elsewhere=''
  case $name in
    curl) values=oHdXAbcCDeEFhmPQrtTuUwYyz elsewhere=xK ;;
    wget) values=oaOPUtTwQDRAIXl elsewhere=eiB ;;
  esac
  count=0
  while [ $# -gt 0 ]; do
    word=$1
    shift
    case $word in
      --url) destination "${1:-}"; count=1 ;;
      --url=*) destination "${word#*=}"; count=1 ;;
      --proxy* | --preproxy* | --socks* | --conf* | --connect-to* | --resolve* | --dns* | --doh* | --unix-socket* | \
        --abstract* | --inp* | --bas* | --exe* | --interface*) ask "$name would take its way from $(shown "$word")." ;;
      --output | --header | --data | --data-raw | --data-binary | --data-urlencode | --json | --request | --user-agent | \
        --cookie | --cookie-jar | --form | --upload-file | --write-out | --max-time | --connect-timeout | --user | \
        --retry | --retry-delay | --output-document | --directory-prefix | --timeout | --tries)
        # With other programs some of these have no value.
        case $name in curl | wget) [ $# -eq 0 ] || shift ;; esac ;;
      --*) ;;
      -n[cvdHp]) ;;
      -?*) letters "${word#-}"; [ -z "$takes" ] || [ $# -eq 0 ] || shift ;;
      *) destination "$word"; count=1 ;;
    esac
  done
  [ $count -gt 0 ] || [ "$link" != '|' ] || ask "$name would reach whatever comes through the pipe."
}

# Options in one word, such as -sSLo: says in $takes whether the next word is the value of the last.
letters() {
  rest=$1 takes=''
  while [ -n "$rest" ]; do
    letter=${rest%"${rest#?}"}
    rest=${rest#?}
    case $elsewhere in *"$letter"*) ask "$name would take its way from $(shown "-$letter").";; esac
    case $values in *"$letter"*) [ -n "$rest" ] || takes=yes; return ;; esac
  done
}

look_at() {
  case $name in
    curl | wget | aria2c | http | https | xh | fetch | lynx) fetches "$@" ;;
    nc | ncat | netcat | socat | telnet | ftp | tftp | ssh | scp | sftp | mosh) ask "$name would open a connection: $(shown "$*")." ;;
    rsync) case "$*" in *:*) ask "rsync would reach another machine: $(shown "$*")." ;; esac ;;
    "$BROKEN") ask 'This command ends inside a quotation or a parenthesis, so nobody can tell what it reaches.' ;;
    sh | bash | dash | zsh | ksh | ash | fish) [ "$link" != '|' ] || [ $# -gt 0 ] || ask "$name runs whatever comes through the pipe." ;;
    *"$MARK"*) [ "$link" = '[' ] || ask "Only the shell knows which program this starts: $(shown "$name")." ;;
  esac
}

question=''
command=$(read_command) && [ -r "$allowed_file" ] ||
  answer deny 'Blocked: the network guard could not read its payload or its list of hosts.' 'The network guard does not work. Tell the person; do not try again.'
found=$(printf '%s\n' "$command" | awk -f "$awk_file") ||
  answer deny 'Blocked: this command is nested too deeply for the network guard to read.' 'Write the command in a simpler way.'
case $command in
  */dev/tcp/* | */dev/udp/*) ask 'The shell itself would open a connection (/dev/tcp).' ;;
  *_[pP][rR][oO][xX][yY]=*) ask 'This sets a proxy, through which everything would go.' ;;
esac

set -f
IFS=$newline
for line in $found; do
  IFS=$US
  set -- $line
  IFS=' '
  link=$1 name=$2
  shift 2 2> /dev/null || continue
  look_at "$@"
  IFS=$newline
done
[ -z "$question" ] ||
  answer ask "$question Go on? (allowed-hosts.conf lists what is not asked about.)" "$question The person is asked first; do not go around it."
echo '{}'
