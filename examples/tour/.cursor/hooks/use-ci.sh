#!/bin/sh
# Installs exactly what the lockfile says.
case "$(cat)" in
  *'"command":"npm install"'*) echo '{"permission":"allow","updated_input":{"command":"npm ci"}}' ;;
  *) echo '{}' ;;
esac
