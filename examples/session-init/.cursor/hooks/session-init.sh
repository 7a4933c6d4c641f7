#!/bin/sh
# Gives the model context at the start of a conversation, and later hooks the same values as variables.
# Everything comes from files and branches that others may have named, so only plain letters are taken over.
cat > /dev/null
cd "${CURSOR_PROJECT_DIR:-.}" 2> /dev/null || { echo '{}'; exit 0; }

# The first line of stdin, without anything that could end a string or begin a sentence.
plain() { head -n 1 | LC_ALL=C tr -cd 'A-Za-z0-9._/@+^~-' | cut -c1-80; }

branch=$(git symbolic-ref --quiet --short HEAD 2> /dev/null | plain)
[ -n "$branch" ] || branch=$(git rev-parse --short HEAD 2> /dev/null | sed 's/^/detached-at-/' | plain)

# What package.json says, else the lock file that is there.
manager=$(sed -n 's/.*"packageManager"[[:space:]]*:[[:space:]]*"\([a-z]*\)@.*/\1/p' package.json 2> /dev/null | plain)
if [ -z "$manager" ]; then
  for pair in pnpm-lock.yaml:pnpm yarn.lock:yarn bun.lock:bun bun.lockb:bun package-lock.json:npm npm-shrinkwrap.json:npm \
    uv.lock:uv poetry.lock:poetry Pipfile.lock:pipenv Cargo.lock:cargo go.sum:go Gemfile.lock:bundler; do
    [ ! -f "${pair%:*}" ] || { manager=${pair#*:}; break; }
  done
fi

node=$(node --version 2> /dev/null | plain)
wanted=$(cat .nvmrc .node-version 2> /dev/null | plain)

context='' env=''
fact() { # fact VARIABLE VALUE SENTENCE
  [ -n "$2" ] || return 0
  context="$context${context:+ }$3"
  env="$env${env:+,}\"$1\":\"$2\""
}
fact PROJECT_BRANCH "$branch" "The branch is $branch."
fact PROJECT_PACKAGE_MANAGER "$manager" "The package manager is $manager; use no other."
fact PROJECT_NODE "$node" "Node is $node${wanted:+, and the project wants $wanted}."

[ -n "$context" ] || { echo '{}'; exit 0; }
printf '{"additional_context":"%s","env":{%s}}\n' "$context" "$env"
