// An agent that tries to change the files that guard it. Each call goes through the bridge, as the agent would make it.

import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AGENTS, type AgentName, BLOCKS, SHAPES } from '../../../../tests/fixtures/agents.js'
import { trustShown, Workspace } from '../../../../tests/fixtures/workspace.js'
import { type Hooks, openHooks } from '../index.js'
import { runBridge } from './bridge.js'
import { findBridge } from './index.js'
import { protectHookFiles } from './protection.js'
import type { AgentEvent, Json } from './types.js'

const GUARD = '#!/bin/sh\ncat > /dev/null\n'

const hostOf = (place: Workspace) => ({
  workspaceRoots: [place.root],
  home: place.home,
  enterpriseDir: place.enterprise,
  watch: false,
})

/** Whether the protection adds its hook for this call. */
function isAsked(hooks: Hooks, place: Workspace, tool_name: string, tool_input: Json): boolean {
  const bridge = findBridge('claude-code')!
  const payload = { hook_event_name: 'PreToolUse', session_id: 's', cwd: place.root, tool_name, tool_input }
  const before = hooks.list().length
  const removals: (() => void)[] = []
  const register: Hooks['register'] = hook => {
    const remove = hooks.register(hook)
    removals.push(remove)
    return remove
  }
  protectHookFiles({ ...hooks, register }, bridge, bridge.toEvent('tool', payload) as AgentEvent)
  const isAdded = hooks.list().length > before
  for (const remove of removals) remove()
  return isAdded
}

function send(place: Workspace, agent: AgentName, payload: Json, cwd = place.root) {
  return runBridge({
    bridge: findBridge(agent)!,
    text: JSON.stringify({ cwd, ...payload }),
    event: SHAPES[agent].tool,
    host: () => ({
      workspaceRoots: [place.root],
      home: place.home,
      enterpriseDir: place.enterprise,
      watch: false,
    }),
    folder: join(place.home, '.holdfast', 'bridge'),
    signal: new AbortController().signal,
  })
}

/** The decision of Claude Code's bridge; null if no hook objected. */
async function decide(place: Workspace, tool_name: string, tool_input: Json, cwd?: string) {
  const { stdout, stderr } = await send(place, 'claude-code', { tool_name, tool_input, session_id: 's' }, cwd)
  expect(stderr).toBe('')
  return stdout === '' ? null : JSON.parse(stdout).hookSpecificOutput
}

const decisionOf = async (place: Workspace, command: string, cwd?: string) =>
  (await decide(place, 'Bash', { command }, cwd))?.permissionDecision ?? null

async function prepared(): Promise<Workspace> {
  const place = new Workspace()
  place.write('.cursor/hooks/guard.sh', GUARD)
  place.project({ stop: [{ command: '.cursor/hooks/guard.sh' }] })
  place.user({ stop: [{ command: './hooks/own.sh' }, { command: '~/tools/check.sh --strict' }] })
  place.write(join(place.home, '.cursor/hooks/own.sh'), GUARD)
  place.write(join(place.home, 'tools/check.sh'), GUARD)
  place.write('src/hooks.json.ts', '')
  mkdirSync(join(place.root, 'build'))
  symlinkSync(join(place.root, '.cursor'), join(place.root, 'build/link'))
  symlinkSync(join(place.home, '.cursor/none.json'), join(place.root, 'build/dangling'))
  symlinkSync(join(place.home, '.holdfast/new.json'), join(place.root, 'build/state'))
  const hooks = await openHooks({
    workspaceRoots: [place.root],
    home: place.home,
    enterpriseDir: place.enterprise,
  })
  await trustShown(hooks)
  await hooks.close()
  return place
}

describe('a command', () => {
  let place: Workspace
  let hooks: Hooks
  beforeAll(async () => {
    place = await prepared()
    hooks = await openHooks(hostOf(place))
  })
  afterAll(async () => {
    await hooks.close()
    place.close()
  })

  it.each([
    // redirections
    `echo '{' > ~/.cursor/hooks.json`,
    `echo '#' >> .cursor/hooks/guard.sh`,
    '> .cursor/hooks.json',
    'cat x >| .cursor/hooks.json',
    'npm test &> .cursor/hooks.json',
    'echo x > $HOME/.cursor/hooks.json',
    'echo x > "${HOME}"/.cursor/hooks.json',
    'echo x > "$CLAUDE_PROJECT_DIR"/.cursor/hooks.json',
    `echo x > .cur"sor"/hook's.json'`,
    `echo x > .cursor/hooks\\.json`,
    `echo x > $'.cursor/\\x68ooks.json'`,
    'echo x > .cursor/../.cursor/./hooks.json',
    'echo x > src/../.cursor/hooks.json',
    'echo x > build/link/hooks.json',
    'echo x > build/link/../.cursor/hooks.json',
    'echo x > build/state',
    'echo x > .CURSOR/HOOKS.JSON',
    'cat > .cursor/hooks.json <<EOF\n{}\nEOF',
    'cat <<EOF > .cursor/hooks/new.sh\n{}\nEOF',
    'X=.cursor/hooks.json; echo > $X',
    // programs
    'rm .cursor/hooks.json',
    'rm -rf .cursor',
    'rm -rf ./.cursor/',
    'rm -rf .c*',
    'rm -rf .*',
    'rm .cursor/*',
    'rm .cursor/hook?.json',
    'rm .cursor/{hooks,other}.json',
    'sudo -u root rm -rf .cursor',
    'env A=1 rm -rf .cursor',
    'mv ~/.claude x',
    'mv .cursor/hooks.json x',
    'mv x.json .cursor/hooks.json',
    'cp x .cursor/hooks.json',
    'cp evil/hooks.json .cursor/',
    'cp -r evil/. .',
    'chmod -x .cursor/hooks/guard.sh',
    'chmod -R 000 .cursor',
    'ln -sf /dev/null .cursor/hooks.json',
    'ln .cursor/hooks.json x',
    'tee .cursor/hooks.json',
    'echo x | tee -a ~/.claude/settings.json',
    'touch .claude/settings.local.json',
    `sed -i 's/deny/allow/' .cursor/hooks/guard.sh`,
    `sed 'w .cursor/hooks.json' .cursor/hooks.json`,
    'truncate -s 0 .cursor/hooks.json',
    'dd if=/dev/null of=.cursor/hooks.json',
    'curl -o.cursor/hooks.json http://localhost',
    'sort -o .cursor/hooks.json .cursor/hooks.json',
    'rm -rf ~/.holdfast',
    'rm ~/.holdfast/bridge/claude-code/x',
    'rm ~/tools/check.sh',
    'cd .cursor && rm hooks.json',
    'cd .cursor; cd hooks; chmod -x guard.sh',
    '(cd src && ls); echo x > .cursor/hooks.json',
    'cd ~ && rm -rf .cursor',
    'for f in .cursor/*; do rm "$f"; done',
    'ls .cursor/hooks.json | xargs rm',
    'rm $(ls .cursor/hooks.json)',
    'rm `echo .cursor/hooks.json`',
    'F=$(echo .cursor/hooks.json); rm "$F"',
    'rm "$(git rev-parse --show-toplevel)/.cursor/hooks.json"',
    'find .cursor -name hooks.json -delete',
    'find . -name "*.json" -delete',
    'find . -name hooks.json -exec rm {} \\;',
    'true && false || rm .cursor/hooks.json &',
    'if true; then rm .cursor/hooks.json; fi',
    'f() { rm "$1"; }; f .cursor/hooks.json',
    'rm -rf ~',
    'rm -rf /',
    // code
    `sh -c 'rm .cursor/hooks.json'`,
    `bash -lc "cd .cursor && rm hooks.json"`,
    `eval "rm .cursor/hooks.json"`,
    `python3 -c "open('.cursor/hooks.json','w')"`,
    `python3 -c "import os; os.remove(os.path.join('.claude', 'settings.json'))"`,
    `node -e "require('fs').rmSync('.cursor/hooks/guard.sh')"`,
    `perl -i -pe 's/a/b/' .cursor/hooks.json`,
    `python3 - <<'EOF'\nopen('.cursor/hooks.json','w')\nEOF`,
    `bash <<'EOF'\nrm .cursor/hooks.json\nEOF`,
    `echo 'rm .cursor/hooks.json' | sh`,
    `echo ${Buffer.from('rm .cursor/hooks.json').toString('base64')} | base64 -d | sh`,
    `apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: .cursor/hooks.json\n*** End Patch\nEOF`,
    `git apply <<'EOF'\n--- a/.cursor/hooks.json\n+++ b/.cursor/hooks.json\nEOF`,
    // here-strings
    `bash <<< 'rm .cursor/hooks.json'`,
    'cat <<< x\nrm .cursor/hooks.json',
    `base64 -d <<< x\nholdfast trust --yes`,
    // programs that write a file which they seem to read
    `awk -i inplace '{ gsub("deny", "allow") } 1' .cursor/hooks/guard.sh`,
    `awk --include=inplace '1' .cursor/hooks/guard.sh`,
    `sed -n 's|.*|x|w .cursor/hooks.json' package.json`,
    `sed 's/a/b/w.cursor/hooks.json' package.json`,
    `sed 'w .cursor/hooks.json' package.json`,
    'xxd package.json .cursor/hooks.json',
    // another folder
    'env -C .cursor rm hooks.json',
    'env -C.cursor rm hooks.json',
    'env --chdir=.cursor tee hooks.json',
    'sudo -D .cursor rm hooks.json',
    // a part of the name that only the shell knows
    'rm .cursor/hooks${x}.json',
    'rm .cursor/$(echo hooks).json',
    'tee {~,}/.cursor/hooks.json',
    // code in a word
    `git -c alias.x='!rm .cursor/hooks.json' x`,
    `su -c 'rm .cursor/hooks.json'`,
    `eval "$(echo rm .cursor/hooks.json)"`,
    // commands that accept a change
    'holdfast trust --yes',
    'npx holdfast trust --yes',
    'npx -y holdfast@latest uninstall claude-code',
    // The panel trusts and edits hooks, and prints its key.
    'holdfast ui --json',
    'echo trust --yes | xargs holdfast',
    'xargs -a words holdfast',
    '$(command -v holdfast) trust --yes',
    '"$(which holdfast)" trust --yes',
    '`which holdfast` trust --yes',
    '~/bin/hold* trust --yes',
    '~/bin/holdfas? daemon stop',
    'env -u CLAUDECODE $(which holdfast) trust --yes',
    'timeout -s KILL 9 $(which holdfast) trust',
    'sudo -u me npx holdfast trust --yes',
    'node packages/cli/bin/holdfast.cjs trust',
    './node_modules/.bin/holdfast install claude-code',
    'holdfast daemon stop',
    'holdfast login http://localhost',
    'holdfast logout',
    'pkill -f holdfast',
    'kill $(pgrep -f holdfast)',
    'git checkout -- .cursor/hooks.json',
    'git restore .cursor',
    'git rm -r .cursor',
    'git stash -- .cursor/hooks.json',
  ])('asks: %s', command => {
    expect(isAsked(hooks, place, 'Bash', { command })).toBe(true)
  })

  it.each([
    'npm test',
    'ls',
    'git commit -m "mention hooks.json"',
    'git commit -am "change .cursor/hooks.json"',
    'git add .cursor/hooks.json',
    'git add .',
    'git diff .cursor/hooks.json',
    'git log -p -- .cursor/hooks.json',
    'git status',
    'git checkout main',
    'git checkout -b hooks',
    'git pull',
    'grep -r hooks.json .',
    'grep -rn "permission" .cursor | head -5',
    'cat .cursor/hooks.json',
    'cat .cursor/hooks.json | jq .hooks',
    'cat .cursor/hooks.json | python3 -m json.tool',
    `cat .cursor/hooks.json | python3 -c 'import json, sys; print(json.load(sys.stdin))'`,
    'cat .cursor/hooks.json && npm test',
    'cat ~/.cursor/hooks.json > copy.json',
    'cp .cursor/hooks.json copy.json',
    'ls -la .cursor ~/.claude ~/.holdfast',
    'diff .cursor/hooks.json other.json',
    `sed -n '1,5p' .cursor/hooks.json`,
    `awk '{ print $1 }' .cursor/hooks.json`,
    `awk -F: '{ print $1 }' .cursor/hooks.json`,
    `sed -n 's|"command": ||p' .cursor/hooks.json`,
    `sed 's/window/w/' .cursor/hooks.json`,
    'xxd .cursor/hooks.json',
    'xxd -l 16 .cursor/hooks.json',
    'grep x <<< "rm .cursor/hooks.json"',
    'env -C src npm test',
    'rm build/$x src/$(date).log',
    'git -c core.pager=cat log',
    '$(which node) server.js',
    '$(npm bin)/eslint .',
    '*.sh',
    'find . -name "*.pyc" -delete',
    'find . -type f -exec grep foo {} +',
    'find .cursor -type f',
    'head -3 .cursor/hooks/guard.sh 2>/dev/null',
    `echo '{}' | .cursor/hooks/guard.sh`,
    `echo '{}' | bash .cursor/hooks/guard.sh`,
    'shellcheck .cursor/hooks/guard.sh',
    'holdfast check',
    'holdfast list --json',
    'npx holdfast test',
    'node packages/cli/bin/holdfast.cjs doctor',
    'echo "run holdfast trust"',
    'touch src/hooks.json.ts',
    'echo x > src/hooks.json.ts',
    'echo x > hooks.json',
    'rm -rf build node_modules',
    'rm -rf *',
    'npm pkg set a=b; sed -i s/a/b/ package.json',
    'rm -rf ./*',
    'rm -rf "$TMP_OUT"',
    'rm -f $OUT/*.json $OUT/settings.json',
    'mkdir -p src/.cursor',
    'echo x > ../other/.cursor/hooks.json',
    'chmod 755 .',
    'chmod +x src/x.sh',
    'npx prettier --write .',
    'tar czf ../x.tgz .',
    'cp -r src/lib .',
    'python3 setup.py build',
    'node -e "console.log(1)"',
    `bash -c 'npm test'`,
    'cd src && npm test',
    `cat > README.md <<'EOF'\nEdit .cursor/hooks.json and run holdfast trust.\nrm .cursor/hooks.json\nEOF`,
    'kill 1234',
    'docker run -v $PWD:/x image',
    '',
  ])('does not ask: %s', command => {
    expect(isAsked(hooks, place, 'Bash', { command })).toBe(false)
  })

  it('is never lost by quotes, escapes and detours in the name of a file', () => {
    const spellings = (path: string) =>
      fc
        .tuple(
          fc.array(fc.constantFrom('', '/.', '/../.cursor', '/'), { maxLength: 3 }),
          fc.array(fc.constantFrom('plain', 'single', 'double', 'escape'), { minLength: 40, maxLength: 40 }),
        )
        .map(([detours, styles]) =>
          [...path.replace('.cursor', `.cursor${detours.join('')}`)]
            .map((character, index) => {
              const style = styles[index % styles.length]
              if (style === 'single') return `'${character}'`
              if (style === 'double') return `"${character}"`
              return style === 'escape' ? `\\${character}` : character
            })
            .join(''),
        )
    const path = fc.constantFrom(
      ...[
        '.cursor/hooks.json',
        '.cursor/hooks/guard.sh',
        `${place.home}/.cursor/hooks.json`,
        './.cursor/hooks.json',
      ],
    )
    const write = fc.constantFrom('echo x >', 'echo x >>', 'rm -f', 'true; tee', 'ls && mv x', 'a | cp x')
    fc.assert(
      fc.property(path.chain(spellings), write, (spelling, program) => {
        expect(isAsked(hooks, place, 'Bash', { command: `${program} ${spelling}` })).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a program', () => {
  let place: Workspace
  let hooks: Hooks
  beforeAll(async () => {
    place = await prepared()
    hooks = await openHooks(hostOf(place))
  })
  afterAll(async () => {
    await hooks.close()
    place.close()
  })

  it.each([
    'cp /bin/true ~/bin/holdfast',
    'ln -sf /bin/true ~/bin/node',
    `: > ${process.execPath}`,
    `echo > ${process.execPath}`,
    'npm uninstall -g holdfast',
    'npm install --global holdfast@0.0.1',
    'volta install holdfast',
    'pnpm rm holdfast -g',
    'pkill -9 -f "bridge claude"',
    'pkill -f br[i]dge',
    'pkill -9 -f "claude-code --event"',
    'for p in $(pgrep -f br[i]dge); do kill -9 $p; done',
    'kill -STOP $(pgrep node)',
    'kill -9 $(pgrep -f bridge)',
    'kill -9 -1',
    'kill -9 -1 99999',
    'kill -s STOP -- -1 99999',
    'pkill -STOP client',
    'pkill -STOP -P $PPID',
    'pkill -9 -P $PPID',
    'pkill -KILL -s 0',
    'pkill -9 -u me',
    '(while :; do pkill -9 sh; done) &',
    'killall -9 node sh',
    'claude --bare -p "rm -r build"',
    'claude config set disableAllHooks true',
    'codex exec -c features.hooks=false x',
    'npx -y @openai/codex@latest features disable hooks',
    'env CODEX_HOME=/tmp/x codex exec x',
    'HOME=/tmp claude -p x',
    'gemini hooks disable guard',
  ])('asks: %s', command => {
    process.env.PATH = `${join(place.home, 'bin')}:${path}`
    expect(isAsked(hooks, place, 'Bash', { command })).toBe(true)
  })

  it.each([
    'npm install',
    'npm install @holdfast/hooks',
    'npm run build',
    'npm uninstall -g typescript',
    'pkill node',
    'killall -9 node',
    'pkill -f "next dev"',
    'pkill -P $$ vite',
    'pkill -P $$',
    'pkill -TERM -P $!',
    'kill -TERM -- -1234',
    'kill -9 1234',
    'kill -1 1234',
    'kill %1',
    'pgrep -f bridge',
    'claude -p "explain the hooks of this project"',
    'codex exec "run the tests"',
    'node server.js',
    'which node holdfast',
    'holdfast --version',
    'CODEX_HOME=/tmp/x ls',
  ])('does not ask: %s', command => {
    expect(isAsked(hooks, place, 'Bash', { command })).toBe(false)
  })

  const path = process.env.PATH
  afterEach(() => {
    process.env.PATH = path
  })
})

describe('a tool for files', () => {
  let place: Workspace
  let hooks: Hooks
  beforeAll(async () => {
    place = await prepared()
    hooks = await openHooks(hostOf(place))
  })
  afterAll(async () => {
    await hooks.close()
    place.close()
  })

  it.each([
    ['Bash', 'command', 'cwd'],
    ['Bash', 'command', 'workdir'],
    ['exec_command', 'cmd', 'workdir'],
    ['run_shell_command', 'command', 'directory'],
    ['run_shell_command', 'command', 'dir_path'],
  ])('%s runs its %s in the folder of %s', (tool, code, folder) => {
    const input = { [code]: 'echo x > hooks.json', [folder]: '.cursor' }
    expect(isAsked(hooks, place, tool, input)).toBe(true)
    expect(isAsked(hooks, place, tool, { ...input, [folder]: 'src' })).toBe(false)
  })

  const PATCH = (lines: string) => `*** Begin Patch\n${lines}\n*** End Patch`

  it.each<[string, Json]>([
    ['Write', { file_path: '.cursor/hooks.json', content: '{}' }],
    ['Edit', { file_path: '~/.cursor/hooks.json', old_string: 'a', new_string: 'b' }],
    ['MultiEdit', { file_path: '.cursor/hooks/guard.sh', edits: [] }],
    ['NotebookEdit', { notebook_path: '.cursor/hooks/new.ipynb', new_source: '' }],
    ['Write', { file_path: 'build/link/hooks.json', content: '{}' }],
    ['Write', { file_path: 'build/state', content: '{}' }],
    ['Write', { file_path: 'src/../.cursor/HOOKS.json', content: '{}' }],
    ['Write', { file_path: '.claude/settings.local.json', content: '{}' }],
    ['Write', { file_path: '/etc/claude-code/managed-settings.json', content: '{}' }],
    ['mcp__fs__write_file', { path: '.cursor/hooks.json', content: '{}' }],
    ['mcp__fs__move_file', { source: '.cursor', destination: 'x' }],
    ['mcp__fs__edit', { files: [{ uri: 'file://HOME/.cursor/hooks.json' }] }],
    ['mcp__fs__edit', { uri: 'file://HOME/.cursor/hooks%2ejson' }],
    ['mcp__fs__put', { folder: '.cursor', name: 'hooks.json' }],
    ['mcp__fs__put', { at: { dir: 'HOME/.cursor' }, files: [{ name: 'hooks.json' }] }],
    ['mcp__shell__run', { command: 'rm .cursor/hooks.json' }],
    ['UnknownTool', { input: PATCH('*** Update File: a.ts\n*** Move to: .cursor/hooks.json') }],
  ])('asks: %s %j', (tool, input) => {
    const filled = JSON.parse(JSON.stringify(input).replaceAll('HOME', place.home))
    expect(isAsked(hooks, place, tool, filled)).toBe(true)
  })

  it.each<[string, Json]>([
    ['Read', { file_path: '.cursor/hooks.json' }],
    ['Grep', { pattern: 'x', path: '.cursor' }],
    ['Write', { file_path: 'src/hooks.json.ts', content: '.cursor/hooks.json' }],
    ['Write', { file_path: '../other/.cursor/hooks.json', content: '{}' }],
    ['Edit', { file_path: 'README.md', old_string: '.cursor/hooks.json', new_string: '~/.holdfast' }],
    ['mcp__fs__read_file', { path: '.cursor/hooks.json' }],
    ['mcp__fs__list_directory', { path: '.cursor' }],
    ['mcp__fs__write_file', { path: 'a.md', content: '.cursor/hooks.json' }],
    ['mcp__fs__put', { folder: 'src', name: 'hooks.json' }],
    ['mcp__tracker__create_issue', { title: '.cursor/hooks.json', body: 'x' }],
    ['Task', { prompt: '.cursor/hooks.json', description: 'x' }],
  ])('does not ask: %s %j', (tool, input) => {
    expect(isAsked(hooks, place, tool, input)).toBe(false)
  })

  it('names the file, the reason and what the user can do', async () => {
    const { permissionDecisionReason } = await decide(place, 'Write', {
      file_path: '.cursor/hooks.json',
      content: '{}',
    })
    expect(permissionDecisionReason).toContain(
      `This would change ${join(place.root, '.cursor/hooks.json')}, which is the hook configuration of the project`,
    )
    for (const text of ['outside of the agent', 'holdfast trust', '"protect_hook_files": false'])
      expect(permissionDecisionReason).toContain(text)
  })
})

describe('every agent', () => {
  let place: Workspace
  beforeEach(() => {
    place = new Workspace()
    place.user({ stop: [{ command: 'true' }] })
  })
  afterEach(() => place.close())

  it.each(AGENTS)('%s asks for a redirection, or denies it', async agent => {
    const { shell, read, tool } = SHAPES[agent]
    const answered = await send(place, agent, shell(`echo '{' > ~/.cursor/hooks.json`))
    const isAsked = /"(?:permissionDecision|decision)":"ask"/.test(answered.stdout)
    expect(isAsked || BLOCKS[agent](tool, answered)).toBe(true)
    expect(isAsked).toBe(findBridge(agent)!.canAsk)
    for (const free of [shell('cat ~/.cursor/hooks.json'), shell('npm test'), read('.cursor/hooks.json')])
      expect((await send(place, agent, free)).stdout).toBe('')
  })

  it.each<[AgentName, Json, string]>([
    [
      'codex',
      {
        tool_name: 'apply_patch',
        tool_input: { command: '*** Begin Patch\n*** Delete File: .codex/config.toml\n*** End Patch' },
      },
      '.codex/config.toml',
    ],
    [
      'gemini',
      {
        tool_name: 'replace',
        tool_input: { file_path: '.gemini/settings.json', old_string: 'a', new_string: 'b' },
      },
      '.gemini/settings.json',
    ],
    [
      'copilot',
      { toolName: 'create', toolArgs: { path: '.github/hooks/x.json', file_text: '{}' } },
      '.github/hooks',
    ],
    [
      'copilot',
      {
        toolName: 'apply_patch',
        toolArgs: { input: '*** Begin Patch\n*** Delete File: .github/hooks/holdfast.json\n*** End Patch' },
      },
      '.github/hooks',
    ],
    [
      'qwen',
      { tool_name: 'write_file', tool_input: { file_path: '.qwen/settings.json', content: '{}' } },
      '.qwen/settings.json',
    ],
  ])('%s protects its own settings: %j', async (agent, call, file) => {
    const common =
      agent === 'copilot' ? { sessionId: 's' } : { session_id: 's', hook_event_name: SHAPES[agent].tool }
    const { stdout } = await send(place, agent, { ...common, ...call })
    expect(stdout).toContain(`This would change ${join(place.root, file)}`)
    expect(stdout).toMatch(/"(?:ask|deny)"/)
  })

  it('is not protected without any hook', async () => {
    place.user({})
    expect(await decisionOf(place, 'rm ~/.cursor/hooks.json')).toBe(null)
  })

  it('is denied while a file is broken, and asked by a rule that no allow can loosen', async () => {
    place.write(join(place.home, '.cursor/hooks.json'), '{')
    expect(await decisionOf(place, 'rm ~/.cursor/hooks.json')).toBe('deny')
    place.user({ beforeShellExecution: [{ command: `echo '{"permission": "allow"}'` }] })
    expect(await decisionOf(place, 'rm ~/.cursor/hooks.json')).toBe('ask')
    expect(await decisionOf(place, 'ls')).toBe('allow')
  })

  it('records the question like that of any hook', async () => {
    const hooks = await place.open({ log: { file: join(place.base, 'log.jsonl') } })
    await hooks.close()
    await runBridge({
      bridge: findBridge('codex')!,
      text: JSON.stringify({ cwd: place.root, ...SHAPES.codex.shell('holdfast trust') }),
      host: () => ({
        workspaceRoots: [place.root],
        home: place.home,
        enterpriseDir: place.enterprise,
        log: { file: join(place.base, 'log.jsonl') },
      }),
      folder: join(place.home, '.holdfast', 'bridge'),
      signal: new AbortController().signal,
    })
    expect(place.read(join(place.base, 'log.jsonl'))).toContain('built in: hook files')
  })

  describe('the switch', () => {
    const write = (file: string, value: unknown) =>
      place.write(
        file,
        JSON.stringify({ version: 1, protect_hook_files: value, hooks: { stop: [{ command: 'true' }] } }),
      )
    const isAsked = async () => (await decisionOf(place, 'rm ~/.cursor/hooks.json')) === 'ask'

    it('counts in the file of the user', async () => {
      write(join(place.home, '.cursor/hooks.json'), false)
      expect(await isAsked()).toBe(false)
      write(join(place.home, '.cursor/hooks.json'), 'no')
      expect(await isAsked()).toBe(true)
    })

    it('of the enterprise wins, to turn it on', async () => {
      write(join(place.home, '.cursor/hooks.json'), false)
      write(join(place.enterprise, 'hooks.json'), true)
      expect(await isAsked()).toBe(true)
    })

    it('of the enterprise wins, to turn it off', async () => {
      write(join(place.enterprise, 'hooks.json'), false)
      write(join(place.home, '.cursor/hooks.json'), true)
      expect(await isAsked()).toBe(false)
    })

    it('does not count in a session that began without it', async () => {
      write(join(place.home, '.cursor/hooks.json'), true)
      expect(await isAsked()).toBe(true)
      write(join(place.home, '.cursor/hooks.json'), false)
      expect(await isAsked()).toBe(true)
    })

    it('has no effect in a project, with a warning', async () => {
      write('.cursor/hooks.json', false)
      expect(await isAsked()).toBe(true)
      const hooks = await place.open()
      expect(hooks.issues()).toMatchObject([
        { code: 'config/no-effect', severity: 'warning', path: 'protect_hook_files', line: 1 },
      ])
    })
  })
})

describe('git', () => {
  let place: Workspace
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args], {
      cwd: place.root,
      env: { PATH: process.env.PATH, HOME: place.home },
      stdio: 'ignore',
    })
  beforeEach(async () => {
    place = await prepared()
    git('init')
  })
  afterEach(() => place.close())

  it('may restore the tree while hook files are as they were committed', async () => {
    git('add', '.cursor')
    git('commit', '-m', 'x')
    const all = ['git stash', 'git reset --hard', 'git checkout .', 'git restore .', 'git clean -fd']
    for (const command of all) expect(await decisionOf(place, command), command).toBe(null)
    place.write('.cursor/hooks.json', `${place.read('.cursor/hooks.json')}\n`)
    for (const command of all.slice(0, -1)) expect(await decisionOf(place, command), command).toBe('ask')
    for (const command of ['git stash list', 'git reset', 'git checkout main'])
      expect(await decisionOf(place, command), command).toBe(null)
  })

  it('asks before it removes hook files that are not committed', async () => {
    for (const command of ['git clean -fd', 'git stash -u', 'git clean -f -d -x'])
      expect(await decisionOf(place, command), command).toBe('ask')
    expect(await decisionOf(place, 'git clean -n')).toBe(null)
  })
})
