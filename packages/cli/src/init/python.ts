// The hook as a Python script, with the library in a folder beside it, so that nothing has to be installed.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../usage-error.js'
import type { Job } from './job.js'
import type { Hook, NewFile } from './language.js'

/** The bundle is CommonJS, and the library is beside it. */
declare const __dirname: string

const LIBRARY = 'holdfast_hooks'

export function pythonHook(name: string, jobs: readonly Job[]): Hook {
  return {
    command: path => path,
    script: `${name}.py`,
    files: [{ name: `${name}.py`, text: script(name, jobs) }, ...library(join(__dirname, 'python', LIBRARY))],
  }
}

function library(folder: string): NewFile[] {
  if (!existsSync(folder)) {
    throw new UsageError('The Python library is missing from this installation. Install holdfast again.')
  }
  return readdirSync(folder)
    .filter(name => /\.(?:py|typed)$/.test(name))
    .sort()
    .map(name => ({ name: `${LIBRARY}/${name}`, text: readFileSync(join(folder, name)), vendored: true }))
}

const script = (name: string, jobs: readonly Job[]): string =>
  [
    '#!/usr/bin/env python3',
    `"""A hook: a function for each event. Its tests are in ${name}.hooks-test.yaml; run them with: holdfast test"""`,
    '',
    ...(jobs.some(({ kind }) => kind === 'guard') ? ['import re'] : []),
    ...(jobs.some(({ kind }) => kind === 'audit') ? ['import time'] : []),
    ...(jobs.some(({ kind }) => kind === 'guard' || kind === 'audit') ? [''] : []),
    `from ${LIBRARY} import ${[...new Set(['hook', ...jobs.map(wordOf)])].sort().join(', ')}`,
    ...jobs.flatMap(job => ['', '', `@hook.on("${job.spec.name}")`, ...handler(job)]),
    '',
    '',
    'hook.run()',
    '',
  ].join('\n')

const WORDS: Readonly<Partial<Record<Job['kind'], string>>> = { guard: 'deny', audit: 'append_audit' }
const wordOf = ({ kind }: Job) => WORDS[kind] ?? kind

function handler(job: Job): string[] {
  const { spec } = job
  const head = `def ${snake(spec.name)}(payload):`
  switch (job.kind) {
    case 'guard': {
      const { field, pattern, user, agent } = job.rule
      const forAgent = 'agent_message' in spec.answer ? [`            agent="${agent}",`] : []
      return [
        head,
        `    if re.search(r"${pattern}", payload["${field}"]):`,
        '        return deny(',
        `            "${user}",`,
        ...forAgent,
        '        )',
      ]
    }
    case 'followup':
      return [
        head,
        '    # Once: loop_count counts the follow-ups since the last message of the user.',
        '    if payload["status"] == "completed" and payload["loop_count"] == 0:',
        `        return followup("${job.text}")`,
      ]
    case 'context':
    case 'notice':
      return [head, `    return ${job.kind}("${job.text}")`]
    case 'audit': {
      const what = job.field === null ? '' : `, "${job.field}": payload["${job.field}"]`
      return [
        head,
        '    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())',
        '    append_audit(',
        '        "~/.holdfast/audit.jsonl",',
        `        {"time": now, "event": payload["hook_event_name"]${what}},`,
        '    )',
      ]
    }
  }
}

const snake = (name: string) => name.replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4').toLowerCase()
