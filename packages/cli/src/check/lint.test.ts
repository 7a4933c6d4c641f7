import { chmodSync, mkdirSync } from 'node:fs'
import type { DiscoverOptions } from '@holdfast/hooks'
import { describe, expect, test } from 'vitest'
import {
  cleanUp,
  codes,
  sandbox as emptySandbox,
  layerOf,
} from '../../../hooks/src/discover/testing/sandbox.js'
import { lintCatalog } from './lint.js'

cleanUp()

/** Whose discovery ends with the linter. */
const sandbox = () => {
  const it = emptySandbox()
  const discover = async (change?: Partial<DiscoverOptions>) =>
    lintCatalog(await it.discover(change), it.options(change))
  return { ...it, discover }
}

const box = (command: string, event = 'stop') => {
  const it = sandbox()
  it.hooks({ hooks: { [event]: [{ command }] } })
  const issues = async (change?: Partial<DiscoverOptions>) => layerOf(await it.discover(change)).issues
  return { ...it, issues }
}

describe('scripts', () => {
  test('found and executable: silent', async () => {
    for (const command of [
      '.cursor/hooks/a.sh',
      './.cursor/hooks/a.sh x',
      '"$CURSOR_PROJECT_DIR"/.cursor/hooks/a.sh',
    ]) {
      const it = box(command)
      it.write('project/.cursor/hooks/a.sh', '#!/bin/sh\n', 0o755)
      expect(await it.issues()).toEqual([])
    }
  })

  test('found only from the folder of hooks.json', async () => {
    const it = box('./hooks/a.sh')
    it.write('project/.cursor/hooks/a.sh', '#!/bin/sh\n', 0o755)
    expect(await it.issues()).toMatchObject([
      {
        code: 'config/path-base',
        severity: 'error',
        path: 'hooks.stop[0].command',
        hint: 'Write .cursor/hooks/a.sh.',
      },
    ])
    expect(await it.issues({ pathBase: 'file' })).toEqual([])
  })

  test('the same through an interpreter', async () => {
    const it = box('node hooks/a.js')
    it.write('project/.cursor/hooks/a.js', '')
    expect(codes(await it.issues())).toEqual(['config/path-base'])
  })

  test('absent', async () => {
    expect(await box('./a.sh').issues()).toMatchObject([{ code: 'config/script-missing', severity: 'error' }])
    expect(codes(await box('python3 a.py').issues())).toEqual(['config/script-missing'])
    expect(codes(await box('bash -c "./a.sh 2>/dev/null || true"').issues())).toEqual([
      'config/script-missing',
    ])
  })

  test('a folder is no script', async () => {
    const it = box('./tools/')
    mkdirSync(it.path('project/tools'))
    expect((await it.issues())[0]?.message).toContain('is a folder')
  })

  test('a folder that python can run is one', async () => {
    const it = box('python3 ./tools')
    it.write('project/tools/__main__.py', '')
    expect(await it.issues()).toEqual([])
  })

  test('an ending that node adds is no mistake', async () => {
    const it = box('node ./guard')
    it.write('project/guard.js', '')
    expect(await it.issues()).toEqual([])
  })

  test('no execute bit', async () => {
    const it = box('./a.sh')
    const file = it.write('project/a.sh', '#!/bin/sh\n', 0o644)
    expect(await it.issues()).toMatchObject([
      { code: 'config/script-not-executable', severity: 'error', hint: `Run: chmod +x ${file}` },
    ])
    expect(await it.issues({ platform: 'win32' })).toEqual([])
    chmodSync(file, 0o744)
    expect(await it.issues()).toEqual([])
  })

  test('an interpreter needs no execute bit', async () => {
    const it = box('bash a.sh')
    it.write('project/a.sh', '')
    expect(await it.issues()).toEqual([])
  })

  test('a bare name is looked up in PATH, as it will be', async () => {
    const it = box('a.sh')
    it.write('project/a.sh', '', 0o755)
    expect(await it.issues()).toMatchObject([{ code: 'config/script-missing', hint: 'Write ./a.sh.' }])
    it.write('bin/a.sh', '', 0o755)
    expect(await it.issues({ env: { PATH: `/nowhere:${it.path('bin')}` } })).toEqual([])
  })

  test.each(['CURSOR_PROJECT_DIR', 'CLAUDE_PROJECT_DIR'])('a script behind %s', async name => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: `"$${name}/a.sh"` }, { command: `"$${name}/none.sh"` }] } })
    box.write('project/a.sh', '', 0o755)
    const { hooks, issues } = layerOf(await box.discover())
    expect(hooks[0]?.scripts.map(({ path }) => path)).toEqual([box.path('project/a.sh')])
    expect(issues).toMatchObject([{ code: 'config/script-missing', path: 'hooks.stop[1].command' }])
  })

  test('reports nothing about what only the shell knows', async () => {
    for (const command of ['$TOOLS/a.sh', 'pnpm fix', 'test -x ./a.sh && ./a.sh', 'echo x >> log/a.sh']) {
      expect(await box(command).issues()).toEqual([])
    }
  })

  test('hooks of the user start at their own folder', async () => {
    const it = sandbox()
    it.write('home/.cursor/hooks.json', {
      hooks: { stop: [{ command: './hooks/a.sh' }, { command: './b.sh' }] },
    })
    it.write('home/.cursor/hooks/a.sh', '', 0o755)
    expect(layerOf(await it.discover(), 'user').issues).toMatchObject([
      { code: 'config/script-missing', path: 'hooks.stop[1].command' },
    ])
  })

  test('no mistake drops the entry', async () => {
    const it = box('./a.sh')
    expect(layerOf(await it.discover())).toMatchObject({ dropped: 0, hooks: [{ command: './a.sh' }] })
  })
})

describe('personal paths', () => {
  test.each(['/Users/ann/a.sh', 'node /home/ann/a.js', '"C:\\\\Users\\\\ann\\\\a.cmd"'])(
    '%s',
    async command => {
      expect(codes(await box(command).issues())).toContain('config/personal-path')
    },
  )

  test.each(['/opt/a.sh', '~/a.sh', '$HOME/a.sh'])('not %s', async command => {
    expect(codes(await box(command).issues({ home: '/home/ann' }))).not.toContain('config/personal-path')
  })

  test('not in the project itself', async () => {
    const it = sandbox()
    const root = '/home/nobody-here/my project'
    it.hooks({ hooks: { stop: [{ command: `"${root}/a.sh"` }] } })
    const [layer] = (await it.discover({ roots: [root] })).layers
    expect(layer?.issues).toEqual([])
  })

  test('not in the hooks of the user', async () => {
    const it = sandbox()
    it.write('home/.cursor/hooks.json', { hooks: { stop: [{ command: '/home/ann/a.sh' }] } })
    expect(codes((await it.discover()).issues)).toEqual(['config/script-missing'])
  })
})

describe('wrong folders', () => {
  const good = { version: 1, hooks: { stop: [] } }

  test.each([
    ['.cursor/hooks/hooks.json', 'error'],
    ['hooks.json', 'warning'],
    ['.cursor/hooks.jsonc', 'warning'],
    ['.claude/hooks.json', 'warning'],
    ['hooks/hooks.json', 'warning'],
  ])('%s', async (at, severity) => {
    const it = sandbox()
    const file = it.write(`project/${at}`, good)
    const layer = layerOf(await it.discover())
    expect(layer.state).toBe('absent')
    expect(layer.issues).toMatchObject([{ code: 'config/wrong-folder', severity, file }])
  })

  test('only what holds hooks', async () => {
    const it = sandbox()
    it.write('project/hooks.json', { hooks: { 'pre-commit': [] } })
    it.write('project/hooks/hooks.json', '{ not json')
    it.write('project/.claude/hooks.json', { hooks: [] })
    expect((await it.discover()).issues).toEqual([])
  })

  test('not in a plugin', async () => {
    for (const mark of ['.cursor-plugin', '.claude-plugin']) {
      const it = sandbox()
      it.write('project/hooks/hooks.json', good)
      mkdirSync(it.path('project', mark))
      expect((await it.discover()).issues).toEqual([])
    }
  })
})

describe('answers in camelCase', () => {
  test('are found in the scripts that the command names', async () => {
    const it = box('node a.js', 'beforeShellExecution')
    const file = it.write(
      'project/a.js',
      `// userMessage is old\nconsole.log({\n  "userMessage": 1,\n  agentMessage: 2 })\n`,
    )
    expect(await it.issues()).toMatchObject([
      {
        code: 'config/camel-case-answer',
        severity: 'warning',
        file,
        line: 3,
        column: 4,
        hint: 'Write user_message.',
      },
      { code: 'config/camel-case-answer', file, line: 4, column: 3 },
    ])
  })

  test('in shell strings too', async () => {
    const it = box('bash a.sh')
    it.write('project/a.sh', `echo "{\\"followupMessage\\": \\"go on\\"}"\n`)
    expect(codes(await it.issues())).toEqual(['config/camel-case-answer'])
  })

  test('not where the event has no such field', async () => {
    for (const event of ['afterFileEdit', 'stop', 'beforeSubmitPrompt']) {
      const it = box('node a.js', event)
      it.write('project/a.js', 'console.log({ agentMessage: 1 })')
      expect(await it.issues()).toEqual([])
    }
  })

  test('not as other words', async () => {
    const it = box('node a.js')
    it.write('project/a.js', 'const userMessage = input.userMessage\nprint(myuserMessage)\n')
    expect(await it.issues()).toEqual([])
  })
})

describe('tasks', () => {
  test('a script that package.json does not have', async () => {
    const it = box('npm run lnt')
    it.write('project/package.json', { scripts: { lint: 'x' } })
    expect(await it.issues()).toMatchObject([
      { code: 'config/script-missing', path: 'hooks.stop[0].command', hint: 'Write lint.' },
    ])
  })

  test('without a package.json', async () => {
    expect((await box('npm run lint').issues())[0]?.message).toBe(
      'There is no package.json for the script "lint".',
    )
  })
})

describe('variables', () => {
  test.each([
    ['prettier --write ${file}', 'file'],
    ['cat "$filePath"', 'filePath'],
    ['node ${workspaceFolder}/a.js', 'workspaceFolder'],
    ['echo $CLAUDE_TOOL_INPUT', 'CLAUDE_TOOL_INPUT'],
    [`sh -c 'cat $file'`, 'file'],
  ])('%s', async (command, name) => {
    const found = (await box(command).issues()).filter(({ code }) => code === 'config/empty-variable')
    expect(found.map(({ message }) => message)).toEqual([
      `No variable ${name} is set for hooks, so it expands to nothing.`,
    ])
  })

  test.each([
    'file=$(jq -r .file_path); echo "$file"',
    'for f in *.ts; do echo $f; done',
    'while read -r line; do echo "$line"; done',
    'read -r file && echo $file',
    `awk '{ print $file }'`,
    'echo ${file:-none}',
    'echo $HOME $MY_TOOL $CURSOR_PROJECT_DIR $1 $?',
  ])('not in %s', async command => {
    expect(codes(await box(command).issues())).not.toContain('config/empty-variable')
  })
})

test('the place of a command is found in one pass over the file', async () => {
  const it = sandbox()
  const entry = { command: './nowhere.sh', matcher: 'x' }
  it.write(
    'project/.cursor/hooks.json',
    `{ "hooks": { "stop": [\n${Array(50).fill(JSON.stringify(entry)).join(',\r\n')}\n] } }`,
  )
  const { issues } = layerOf(await it.discover())
  const places = issues.filter(({ code }) => code === 'config/script-missing')
  expect(places.map(({ line, column }) => [line, column])).toEqual(
    Array.from({ length: 50 }, (_, index) => [index + 2, 12]),
  )
})
