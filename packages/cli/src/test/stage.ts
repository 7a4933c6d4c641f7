// The folders of one case: a workspace, a home, and one for state. Created for the case, and always removed.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, normalize, relative, sep } from 'node:path'
import type { Files, Setting, TestLevel } from './cases.js'
import { type CopyPlan, copyInto } from './copy.js'

export interface CaseFolders {
  readonly base: string
  readonly root: string
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  write(files: Files): void
  remove(paths: readonly string[]): void
  /** Null if it does not exist. */
  read(path: string): string | null
  /** Before the folders are removed. */
  atClose(work: () => void): void
  close(): void
}

const open = new Set<string>()
let isListening = false

export function openStage(
  plan: CopyPlan,
  workspace: string,
  level: TestLevel,
  setting: Setting,
): CaseFolders {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-test-')))
  removeAtExit(base)
  // The folder keeps its name, because hooks may read it.
  const root = join(base, 'workspace', basename(workspace) || 'project')
  const home = join(base, 'home')
  for (const folder of [root, home, join(base, 'state'), join(base, 'tmp')])
    mkdirSync(folder, { recursive: true })
  const isCursor = (path: string) => path === '.cursor' || path.startsWith(`.cursor${sep}`)
  const isHook = (path: string) => /^\.cursor[\\/]hooks(?:\.json$|[\\/])/.test(path)
  const at = (path: string, isOfHooks: boolean) => join(level === 'user' && isOfHooks ? home : root, path)
  copyInto(plan, path => at(path, isCursor(path)))
  // A case that changes the hooks changes them where they are installed; other settings are those of the project.
  const place = (path: string) =>
    path.startsWith('~/') ? join(home, path.slice(2)) : at(path, isHook(normalize(path)))
  const last: (() => void)[] = []
  const stage: CaseFolders = {
    base,
    root,
    home,
    env: environment(home, base, setting.env),
    write(files) {
      for (const [path, text] of files) {
        const file = place(path)
        mustStay(base, dirname(file), path)
        rmSync(file, { force: true })
        writeFileSync(file, text)
        if (text.startsWith('#!')) chmodSync(file, 0o755)
      }
    },
    remove(paths) {
      for (const path of paths) {
        mustStay(base, dirname(place(path)), path)
        rmSync(place(path), { recursive: true, force: true })
      }
    },
    read(path) {
      const file = place(path)
      if (!existsSync(file)) return null
      return statSync(file).isFile() ? readFileSync(file, 'utf8') : ''
    },
    atClose: work => void last.push(work),
    close() {
      for (const work of last.splice(0)) work()
      open.delete(base)
      remove(base)
    },
  }
  stage.write(setting.files)
  return stage
}

/** Settings of the user for their own programs must not lead a hook out of the temporary folders. */
const LEFT_OUT =
  /^(?:XDG_(?:CONFIG|STATE|CACHE|DATA|RUNTIME)_(?:HOME|DIR)|GIT_(?:DIR|WORK_TREE|INDEX_FILE)|HOLDFAST_.*)$/

function environment(home: string, base: string, own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !LEFT_OUT.test(name))
  const tmp = join(base, 'tmp')
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    TMPDIR: tmp,
    TEMP: tmp,
    TMP: tmp,
    HOLDFAST_STATE: join(base, 'state'),
    ...own,
  }
}

/** A link such as node_modules may lead out of the folders of the case. Nothing is written there. */
function mustStay(base: string, folder: string, path: string): void {
  let there = folder
  while (!existsSync(there)) there = dirname(there)
  if (relative(base, realpathSync(there)).startsWith('..'))
    throw new Error(`${path} leads out of the workspace of the case`)
  mkdirSync(folder, { recursive: true })
}

/** Also on a signal in the middle of a case. */
function removeAtExit(base: string): void {
  open.add(base)
  if (isListening) return
  isListening = true
  process.once('exit', () => {
    for (const folder of open) remove(folder)
  })
}

/** A hook may have removed write permission from its files. What still cannot be removed stays. */
function remove(base: string): void {
  const all = { recursive: true, force: true, maxRetries: 3 }
  try {
    rmSync(base, all)
  } catch {
    try {
      loosen(base)
      rmSync(base, all)
    } catch {
      // It is in the system's temporary folder.
    }
  }
}

function loosen(folder: string): void {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) loosen(join(folder, entry.name))
}
