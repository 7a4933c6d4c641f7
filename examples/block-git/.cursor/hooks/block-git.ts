// Denies git and asks before gh, wherever a command would start them.

import { homedir } from 'node:os'
import { readCommand } from '@holdfast/guards/shell'
import { ask, deny, hook } from '@holdfast/hooks/sdk'

export default hook({
  beforeShellExecution: ({ command, cwd, workspace_roots: [root] }) => {
    const { calls, unknown } = readCommand(command, { cwd: cwd || root || process.cwd(), home: homedir() })
    const starts = (name: RegExp) => calls.some(call => name.test(call.name))
    if (starts(/^(?:git|gitk|tig|lazygit)$|^git-/)) {
      return deny('The agent may not run git here.', {
        agent:
          'Leave version control to the user: name the files that you changed and propose a commit message.',
      })
    }
    if (starts(/^(?:gh|hub)$/)) return ask('gh reaches GitHub with your account. Run it?')
    if (unknown.length > 0) return ask(`This could start git: ${unknown.join('; ')}. Run it?`)
  },
})
