#!/bin/sh
# Proves that variables of session-init.sh arrive: an install with another package manager is turned down.
# A help, not a guard: it looks at the beginning of each command, and says nothing when there is no variable.
payload=$(cat)
case ${PROJECT_PACKAGE_MANAGER:-} in npm | pnpm | yarn | bun) ;; *) echo '{}'; exit 0 ;; esac

command=$(printf '%s' "$payload" | {
  if command -v jq > /dev/null; then jq -r '.command'
  else node -e 'console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).command)'
  fi
}) || { echo '{}'; exit 0; }

other=$(printf '%s\n' "$command" | tr ';&|(' '\n\n\n\n' |
  sed -n -E 's/^[[:space:]]*([A-Za-z_]+=[^[:space:]]* +)*(npm|pnpm|yarn|bun) +(install|i|ci|add|remove|rm|uninstall|update|up)([[:space:]].*)?$/\2/p' |
  grep -v -x "$PROJECT_PACKAGE_MANAGER" | head -n 1)

if [ -n "$other" ]; then
  printf '{"permission":"deny","user_message":"%s","agent_message":"%s"}\n' \
    "Turned down: this project installs with $PROJECT_PACKAGE_MANAGER, not with $other." \
    "Use $PROJECT_PACKAGE_MANAGER instead of $other, so that there stays one lock file."
else echo '{}'
fi
