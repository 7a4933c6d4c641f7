// What a hook finds in its environment.

import { FIXED_VARIABLES, type FixedVariable } from '../../packages/hooks/src/protocol/environment.js'
import { code, fenced, list, page, table } from './markdown.js'

const FIXED: Readonly<Record<FixedVariable, { value: string; when: string }>> = {
  CURSOR_PROJECT_DIR: {
    value: 'the root that the hook belongs to; the first root for hooks of no project',
    when: 'always',
  },
  CLAUDE_PROJECT_DIR: { value: 'the same', when: 'always' },
  CURSOR_VERSION: { value: 'version of the host', when: 'always' },
  CURSOR_USER_EMAIL: { value: 'who is signed in', when: 'somebody is' },
  CURSOR_TRANSCRIPT_PATH: {
    value: 'file with the conversation so far',
    when: 'there is one',
  },
  CURSOR_CODE_REMOTE: { value: '`true`', when: 'the workspace is on another machine' },
  CURSOR_PLUGIN_ROOT: { value: 'folder of the plugin', when: 'the hook comes with a plugin' },
  CLAUDE_PLUGIN_ROOT: { value: 'the same', when: 'the hook comes with a plugin' },
}

export const environmentPage = (): string =>
  page(
    '# Environment of a hook',
    'A hook is a process of its own, without a terminal. It inherits the environment of the host. On top of it come the session variables, and on top of these the fixed variables.',
    '## Fixed variables',
    table(
      ['variable', 'value', 'set when'],
      FIXED_VARIABLES.map(name => [code(name), FIXED[name].value, FIXED[name].when]),
    ),
    'A fixed variable that is not set is removed, so a hook never sees one that the host happened to have. `PWD` is the folder that the hook runs in.',
    '## Session variables',
    'A hook of [sessionStart](events/sessionStart.md) may set variables for the later hooks of the session:',
    fenced('json', JSON.stringify({ env: { TICKET: 'ABC-123' } })),
    list([
      'They reach hooks of the same source and of lower ones, never of a higher one.',
      'Where two sources set one name, the higher one counts.',
      'Names are letters, digits and `_`, and do not begin with a digit. A fixed name, in whatever case, cannot be set; the run then carries the note `note/env-refused`.',
      'When the session is stopped by a hook, nothing is set.',
      'A subagent begins with a copy of the variables of the session that started it.',
    ]),
    '## Folder, input and output',
    list([
      'The folder depends on the source: see [hooks.json](hooks-json.md#sources-and-their-order).',
      'stdin: one JSON object in UTF-8 without a byte order mark, then the end; at most 100 levels deep, with integers of at most 600 digits, so that every parser can read it. A hook need not read it.',
      'stdout: one JSON object, the answer; up to 1 MiB and 100 levels. stderr is for people and goes to the log; up to 64 KiB.',
      'A background process that keeps stdout open delays nothing once the hook has printed a complete object and exited. If nothing or an incomplete object was printed at the exit, as after `exec > >(cat)` in bash, the rest is waited for, up to 100 ms.',
      'A command without shell syntax is started directly; everything else through `sh -c`, on Windows through PowerShell.',
      'At the time limit the run is over at once. The process and its children get SIGTERM, and SIGKILL half a second later.',
    ]),
  )
