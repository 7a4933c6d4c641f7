// The hook as TypeScript: the source, and beside it the bundle that node starts.

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundle } from '../build/bundle.js'
import type { Job } from './job.js'
import type { Hook } from './language.js'

export async function typescriptHook(name: string, jobs: readonly Job[], target: string): Promise<Hook> {
  const source = sourceOf(name, jobs)
  return {
    command: path => `node ${path}`,
    script: `${name}.cjs`,
    files: [
      { name: `${name}.ts`, text: source },
      { name: `${name}.cjs`, text: await bundled(name, source, target) },
    ],
  }
}

/** Bundled in another folder as if it were in the target: nothing is written there before the user agreed. */
async function bundled(name: string, source: string, target: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-init-'))
  try {
    const file = join(folder, `${name}.ts`)
    const out = join(folder, `${name}.cjs`)
    const modules = modulesAbove(target)
    if (modules !== undefined) symlinkSync(modules, join(folder, 'node_modules'))
    writeFileSync(file, source)
    await bundle(file, out)
    return readFileSync(out)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The packages that the target would find, if the SDK is among them. */
function modulesAbove(target: string): string | undefined {
  for (let folder = target; ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules')
    if (existsSync(join(modules, '@holdfast', 'hooks', 'package.json'))) return modules
    if (folder === dirname(folder)) return undefined
  }
}

function sourceOf(name: string, jobs: readonly Job[]): string {
  const audits = jobs.some(({ kind }) => kind === 'audit')
  const words = [...new Set(['hook', ...jobs.map(wordOf)])].sort()
  return [
    `// A hook: one handler for each event. Its tests are in ${name}.hooks-test.yaml; run them with: holdfast test`,
    '// After a change, bundle it again: holdfast build',
    '',
    ...(audits ? ["import { homedir } from 'node:os'", "import { join } from 'node:path'"] : []),
    `import { ${words.join(', ')} } from '@holdfast/hooks/sdk'`,
    '',
    ...(audits ? ["const AUDIT = join(homedir(), '.holdfast', 'audit.jsonl')", ''] : []),
    'export default hook({',
    ...jobs.flatMap(handler).map(line => `  ${line}`),
    '})',
    '',
  ].join('\n')
}

const wordOf = ({ kind }: Job) =>
  (({ guard: 'deny', audit: 'appendAudit' }) as Record<string, string>)[kind] ?? kind

function handler(job: Job): string[] {
  const { spec } = job
  switch (job.kind) {
    case 'guard': {
      const { field, pattern, user, agent } = job.rule
      const forAgent = 'agent_message' in spec.answer ? `, { agent: ${quoted(agent)} }` : ''
      return [
        `${spec.name}: ({ ${field} }) => {`,
        `  if (/${pattern.replace(/(^|[^[\\])\//g, '$1\\/')}/.test(${field})) {`,
        `    return deny(${quoted(user)}${forAgent})`,
        '  }',
        '},',
      ]
    }
    case 'followup':
      return [
        '// Once: loop_count counts the follow-ups since the last message of the user.',
        `${spec.name}: ({ status, loop_count }) => {`,
        `  if (status === 'completed' && loop_count === 0) return followup(${quoted(job.text)})`,
        '},',
      ]
    case 'context':
    case 'notice':
      return [`${spec.name}: () => ${job.kind}(${quoted(job.text)}),`]
    case 'audit': {
      const what = job.field === null ? '' : `, ${job.field}`
      const given = job.field === null ? 'hook_event_name' : `hook_event_name, ${job.field}`
      return [
        `${spec.name}: ({ ${given} }) => {`,
        `  appendAudit(AUDIT, { time: new Date().toISOString(), event: hook_event_name${what} })`,
        '},',
      ]
    }
  }
}

/** Our texts contain neither quotes nor backslashes. */
const quoted = (text: string) => `'${text}'`
