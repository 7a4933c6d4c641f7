// The page of the environment of a hook.

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
    'A hook is a separate process without a terminal. It inherits the environment of the host. Session variables override the inherited variables, and fixed variables override both.',
    '## Fixed variables',
    table(
      ['variable', 'value', 'set when'],
      FIXED_VARIABLES.map(name => [code(name), FIXED[name].value, FIXED[name].when]),
    ),
    'A fixed variable without a value is removed, so a hook never inherits one from the host. `PWD` is the working directory of the hook.',
    '## Session variables',
    'A hook of [sessionStart](events/sessionStart.md) may set variables for the later hooks of the session:',
    fenced('json', JSON.stringify({ env: { TICKET: 'ABC-123' } })),
    list([
      'They reach hooks of the same source and of lower ones, never of a higher one.',
      'If two sources set the same variable, the higher source wins.',
      'Names are letters, digits and `_`, and do not begin with a digit. A hook cannot set a fixed name, in upper or lower case; the run then has the note `note/env-refused`.',
      'If a hook stops the session, no variables are set.',
      'A subagent begins with a copy of the variables of the session that started it.',
    ]),
    '## Folder, input and output',
    list([
      'The folder depends on the source: see [hooks.json](hooks-json.md#sources-and-their-order).',
      'stdin: one JSON object in UTF-8 without a byte order mark, then the end; at most 100 levels deep, with integers of at most 600 digits and U+FFFD instead of unpaired surrogates, so that every parser can read it. A hook may ignore it.',
      'stdout: one JSON object, the response; up to 1 MiB and 100 levels. stderr is for people and goes to the log; up to 64 KiB.',
      'A background process that keeps stdout open delays nothing once the hook has printed a complete object and exited. If nothing or an incomplete object was printed at the exit, as after `exec > >(cat)` in bash, the engine waits up to 100 ms for the rest.',
      'A command without shell syntax is started directly; everything else through `sh -c`, on Windows through PowerShell.',
      'At the time limit the run ends immediately. The process and its children get SIGTERM, and SIGKILL half a second later.',
    ]),
  )
