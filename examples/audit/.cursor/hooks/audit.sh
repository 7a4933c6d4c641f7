#!/bin/sh
# Adds one JSON line for each event to one file and never disturbs: whatever happens, the answer is "no objection".
# What is written of a payload is decided in entry.awk.
LC_ALL=C
export LC_ALL
umask 077
entry=${1:-${0%/*}/entry.awk}
file=${HOOKS_AUDIT_FILE:-${HOME:-/tmp}/.cursor/audit.jsonl}
case $file in /*) ;; *) file=${CURSOR_PROJECT_DIR:-.}/$file ;; esac

add() {
  [ -d "${file%/*}" ] || mkdir -p "${file%/*}" || return
  line=$(awk -v at="$(date -u +%Y-%m-%dT%H:%M:%SZ)" -f "$entry") && [ -n "$line" ] || return
  # dd gathers the line and writes it at once, so that lines of many processes do not mix.
  printf '%s\n' "$line" | dd obs=1048576 2> /dev/null >> "$file"
}

add || echo "audit: nothing was written to $file." >&2
# What awk did not want to read is read here: a host may wait for it.
cat > /dev/null
echo '{}'
