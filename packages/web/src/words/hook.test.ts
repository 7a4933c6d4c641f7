import { expect, it } from 'vitest'
import { hookName } from './hook.js'

it.each([
  ['/home/ada/.cursor/managed/team_1/hooks/no-secrets.sh', 'no-secrets.sh'],
  ['C:\\Users\\ada\\hooks\\guard.ps1', 'guard.ps1'],
  ['~/hooks/guard.sh', 'guard.sh'],
  ['./guard.sh', './guard.sh'],
  ['guard.sh', 'guard.sh'],
  ['/usr/bin/node ./guard.js --strict', '/usr/bin/node ./guard.js --strict'],
  ['/', '/'],
  ['', ''],
])('%s is called %s', (command, name) => expect(hookName(command)).toBe(name))
