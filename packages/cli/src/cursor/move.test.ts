import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { afterAll, describe, expect, it } from 'vitest'
import { isStuck, type MoveOrigin, moved } from './move.js'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-move-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const root = join(base, 'home/ada/shop')
const home = join(base, 'home')
for (const name of [
  '.cursor/hooks/guard.sh',
  '.cursor/hooks/deep/a.js',
  '.cursor/own.sh',
  'scripts/x.sh',
  'package.json',
]) {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), '#!/bin/sh\n', { mode: 0o755 })
}
writeFileSync(join(home, 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 })

const project: MoveOrigin = { base: root, scripts: join(root, '.cursor/hooks'), spelled: '.cursor/hooks/' }
const loose: MoveOrigin = {
  base: join(root, '.cursor'),
  scripts: join(root, '.cursor/hooks'),
  spelled: 'hooks/',
}
const go = (command: string, from = project, level: 'user' | 'enterprise' = 'user') => {
  const folder = level === 'user' ? join(home, '.cursor') : join(base, 'etc/cursor')
  const hook = { command, cwd: from.base, root: from.base } as HookDefinition
  const to = { folder, level, prefix: 'hooks/shop/' }
  const result = moved(hook, from, to, { platform: 'linux', home, env: { PATH: '/usr/bin:/bin' } })
  return isStuck(result) ? result.problem : result.command
}

describe('a command that can be moved', () => {
  it.each([
    ['.cursor/hooks/guard.sh', 'hooks/shop/guard.sh'],
    ['./.cursor/hooks/guard.sh --strict', 'hooks/shop/guard.sh --strict'],
    ['node .cursor/hooks/deep/a.js "a b"', 'node hooks/shop/deep/a.js "a b"'],
    ['node .cursor/hooks/deep/a', 'node hooks/shop/deep/a'],
    [`sh -c '.cursor/hooks/guard.sh | tee out.json'`, `sh -c 'hooks/shop/guard.sh | tee out.json'`],
    ['[ -d .cursor ] || cd ..; .cursor/hooks/guard.sh', 'hooks/shop/guard.sh'],
    ['.cursor/hooks/guard.sh "$CURSOR_PROJECT_DIR"', 'hooks/shop/guard.sh "$CURSOR_PROJECT_DIR"'],
    [`echo '{"permission": "allow"}'`, `echo '{"permission": "allow"}'`],
    ['cat >> audit.jsonl', 'cat >> audit.jsonl'],
    ['bun .cursor/hooks/deep/a.js', 'bun hooks/shop/deep/a.js'],
    ['/bin/sh .cursor/hooks/guard.sh', '/bin/sh hooks/shop/guard.sh'],
    ['~/tool.sh', '~/tool.sh'],
    ['jq .', 'jq .'],
  ])('%s', (command, expected) => expect(go(command)).toBe(expected))

  it('may be beside its hooks.json', () => {
    expect(go('hooks/guard.sh', loose)).toBe('hooks/shop/guard.sh')
    expect(go('node ./hooks/deep/a.js', loose)).toBe('node hooks/shop/deep/a.js')
  })
})

describe('a command that cannot', () => {
  it.each([
    ['scripts/x.sh', 'It needs scripts/x.sh, which is not in .cursor/hooks and would not be found.'],
    ['.cursor/own.sh', 'It needs .cursor/own.sh, which is not in .cursor/hooks and would not be found.'],
    ['../../tool.sh', 'It needs ../../tool.sh, which is not in .cursor/hooks and would not be found.'],
    [
      '../none.sh',
      '../none.sh is relative to the folder where its hooks start, and would not be found there.',
    ],
    ['npm run guard', 'It needs package.json, which is not in .cursor/hooks and would not be found.'],
    ['cd .cursor && hooks/guard.sh', 'It changes folders, so its paths cannot be resolved.'],
    ['sh -c "cd /; .cursor/hooks/guard.sh"', 'It changes folders, so its paths cannot be resolved.'],
    ['"$CURSOR_PROJECT_DIR"/scripts/x.sh', 'It names a file of the open project, which may be any project.'],
    [
      '$(git rev-parse --show-toplevel)/.cursor/hooks/guard.sh',
      'It names .cursor/hooks/ in a way that cannot be rewritten.',
    ],
    [`${root}/.cursor/hooks/guard.sh`, 'It names .cursor/hooks/ in a way that cannot be rewritten.'],
    ['.cursor\\\\hooks\\\\guard.sh', 'It names .cursor/hooks/ in a way that cannot be rewritten.'],
  ])('%s', (command, problem) => expect(go(command)).toBe(problem))

  it('for everyone names nothing of one person', () => {
    expect(go('~/tool.sh', project, 'enterprise')).toContain('is in a home folder')
    expect(go('.cursor/hooks/guard.sh', project, 'enterprise')).toBe('hooks/shop/guard.sh')
  })
})
