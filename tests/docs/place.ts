// A folder of its own for one page, with a home beside it and the built command on PATH.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root } from '../architecture/source.js'
import { pathWithPython } from '../python/python3.js'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Place {
  readonly folder: string
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  write(path: string, text: string, mode?: number): string
  run(file: string, args: readonly string[], input?: string): Ended
  /** Runs a code block as its language says. */
  execute(language: string, text: string): Ended
  close(): void
}

export function openPlace(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-docs-')))
  const folder = join(base, 'project')
  const home = join(base, 'home')
  const bin = join(base, 'bin')
  for (const path of [folder, home, bin, join(base, 'tmp')]) mkdirSync(path)
  const command = join(bin, 'holdfast')
  const script = `exec '${process.execPath}' '${join(root, 'packages/cli/bin/holdfast.cjs')}' "$@"`
  writeFileSync(command, `#!/bin/sh\n${script}\n`)
  chmodSync(command, 0o755)
  // The packages are found from here as if they were installed.
  symlinkSync(join(root, 'node_modules'), join(base, 'node_modules'))
  // A checkout beside the project, for pages that copy from it.
  symlinkSync(root, join(base, 'holdfast'))
  const env = {
    PATH: [bin, dirname(process.execPath), pathWithPython].join(delimiter),
    HOME: home,
    TMPDIR: join(base, 'tmp'),
    NO_COLOR: '1',
    // npx starts what is installed, and asks nobody else.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }

  const run = (file: string, args: readonly string[], input = ''): Ended => {
    const { status, stdout, stderr } = spawnSync(file, args, {
      cwd: folder,
      env,
      input,
      encoding: 'utf8',
      timeout: 60_000,
    })
    return { code: status, stdout, stderr }
  }
  const write = (path: string, text: string, mode = 0o644) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }
  return {
    folder,
    home,
    env,
    write,
    run,
    execute(language, text) {
      if (language === 'sh') return run('/bin/sh', ['-e', '-c', text])
      if (language === 'python') return run('python3', ['-B', '-c', text])
      if (language === 'js') return run(process.execPath, [write('example.mjs', text)])
      throw new Error(`Blocks of the language "${language}" cannot be run.`)
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  }
}

/** What a page quotes: "…" stands for anything, times and sizes may differ, and so may gaps and ends of lines. */
export function asPattern(text: string): RegExp {
  const literal = text.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  const loose = literal
    .replaceAll('…', '[\\s\\S]*?')
    .replace(/\d+(\\\.\d+)? (ms|s)\b/g, '[\\d.]+ m?s')
    .replace(/\d+(\\\.\d+)? KB\b/g, '[\\d.]+ KB')
    .replace(/\s+/g, '\\s+')
  return new RegExp(`^\\s*${loose}\\s*$`)
}
