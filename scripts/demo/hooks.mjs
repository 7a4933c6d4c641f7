// The hooks of the demonstration team, in the order in which it published them.

const denies = (words, told) =>
  JSON.stringify({ permission: 'deny', user_message: words, agent_message: told })

export const HOOKS = [
  {
    name: 'No forced pushes',
    draft: {
      hookStep: 'beforeShellExecution',
      matcher: 'git push .*(--force|-f\\b)',
      scriptName: 'no-forced-pushes.sh',
      scriptContent: `#!/bin/sh
# History that others have is not rewritten.
cat > /dev/null
echo '${denies('No forced pushes in this team.', 'Push to a branch and open a pull request.')}'
`,
      failClosed: true,
      isActive: true,
    },
  },
  {
    name: 'Ask before a release',
    draft: {
      hookStep: 'beforeShellExecution',
      matcher: 'npm publish|gh release|terraform apply',
      scriptName: 'ask-before-release.sh',
      scriptContent: `#!/bin/sh
# A person approves each release.
cat > /dev/null
echo '{"permission":"ask","user_message":"This goes out to others. Go on?"}'
`,
      isActive: true,
    },
  },
  {
    name: 'Secrets stay here',
    draft: {
      hookStep: 'beforeReadFile',
      scriptName: 'no-secrets.sh',
      scriptContent: `#!/bin/sh
# Files that hold keys are not read by agents.
case $(cat) in
  *.env\\"*|*id_rsa*|*.pem\\"*) echo '${denies('This file holds secrets.', 'Ask the user for what you need.')}' ;;
esac
`,
      isActive: true,
    },
  },
  {
    name: 'Watch installs',
    draft: {
      hookStep: 'beforeShellExecution',
      matcher: '(npm|pip|cargo) (install|add)',
      scriptName: 'watch-installs.sh',
      scriptContent: `#!/bin/sh
# Watches for now; it enforces once we know what it would stop.
case $(cat) in
  *--registry*) echo '${denies('Packages come from our own registry.', 'Install without --registry.')}' ;;
esac
`,
      mode: 'observe',
      isActive: true,
    },
  },
]

/** The newest change, on its way through the rings. */
export const NEXT = {
  name: 'Ask before a release',
  draft: {
    ...HOOKS[1].draft,
    matcher: 'npm publish|gh release|terraform apply|kubectl (apply|delete)',
  },
}

/** A draft that nobody has published yet. */
export const DRAFT = {
  name: 'Watch installs',
  draft: { ...HOOKS[3].draft, mode: 'enforce' },
}
