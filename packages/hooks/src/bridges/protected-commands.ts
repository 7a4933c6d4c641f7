// Finds the protected file that a shell command would change. Not a shell: code that builds a name while it runs can pass.

import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { type SimpleCommand, splitCommand, type Word } from './command-words.js'
import type { ProtectedPath, ProtectedPaths } from './protected-paths.js'
import { AGENT_PROGRAMS, programReason } from './protected-programs.js'

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Programs that change no file that they name. The pattern is for words that make them write. */
const READERS: Readonly<Record<string, RegExp | null>> = {
  ...Object.fromEntries(
    (
      'cat more head tail ls stat grep egrep fgrep ag diff cmp comm wc file jq bat du md5sum sha1sum sha256sum cksum ' +
      'od hexdump strings cut nl tac rev basename dirname realpath readlink test [ [[ echo printf true false : pwd ' +
      'which type cd pushd popd exit export declare local readonly for case in esac fi done shellcheck ' +
      'get-content get-childitem select-string dir findstr'
    )
      .split(' ')
      .map(name => [name, null]),
  ),
  ...Object.fromEntries(['less', 'sort', 'tree'].map(name => [name, /^-\w*[oO]|^--(?:output|log-file)/])),
  rg: /^--pre/,
  xxd: /^-\w*r/,
  yq: /^-\w*i|^--inplace/,
  fd: /^-\w*[xX]|^--exec/,
  sed: /^-\w*i|^--in-place|(?:^|[;{}/\dgpI$])\s*[wWe](?:\s|$)/,
  awk: /[>|]|system|getline|inplace/,
  find: /^-(?:delete|exec(?:dir)?|ok(?:dir)?|fprint.*|fls)$/,
}
/** Programs that change a folder with everything in it. */
const DESTRUCTIVE = set(
  'rm rmdir mv unlink shred trash trash-put rename find git chmod chown chgrp chattr ln',
)
const RECURSIVE_ONLY = set('chmod chown chgrp chattr')
/** Their operands are only read, except for the last one. */
const COPIERS = set('cp install rsync scp ditto')
const SHELLS = set('sh bash zsh dash ksh fish ash su runuser')
const INTERPRETER =
  /^(?:python|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|pwsh|powershell|tclsh|tsx)[\d.]*$/
const INLINE = /^-[A-Za-z]*[cepEr]$|^--?(?:eval|print|command|execute)(?:=|$)|^-[ce]./i
const WRAPPERS = set(
  'sudo doas env nohup time timeout nice ionice stdbuf command exec builtin setsid xargs parallel watch',
)
/** Options whose value is the next word. */
const VALUED: Readonly<Record<string, RegExp>> = {
  env: /^-(?:[uC]|-unset|-chdir)$/,
  sudo: /^-[ugDhpRrtT]$/,
  doas: /^-[uC]$/,
  xargs: /^-[adIELs]$/,
  timeout: /^-[sk]$/,
  exec: /^-a$/,
  time: /^-[of]$/,
  stdbuf: /^-[ioe]$/,
}
const RESERVED = set('if then else elif while until do ! { time')
const GIT_READS = set(
  'diff log show status blame add commit grep ls-files ls-tree rev-parse rev-list branch push fetch remote cat-file tag ' +
    'describe shortlog check-ignore reflog help version',
)
const KILLERS = set('kill pkill killall taskkill stop-process')
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/
const DEEPEST = 6
const MOST_WRITES = 50

export class CommandReader {
  private readonly folders: Set<string>
  private readonly variables = new Map<string, string | undefined>()
  /** Named by a program that only reads. */
  private mentioned: ProtectedPath | undefined
  /** Whether a program receives names that are not in its words. */
  private isCarried = false
  private command = ''

  constructor(
    private readonly paths: ProtectedPaths,
    folders: readonly string[],
    private readonly changes: (found: ProtectedPath) => string,
  ) {
    this.folders = new Set(folders)
  }

  judge(command: string): string | undefined {
    this.command = command
    const reason = this.readCode(command, 0)
    if (reason !== undefined || !this.mentioned || !this.isCarried) return reason
    return this.changes(this.mentioned)
  }

  private readCode(code: string, depth: number): string | undefined {
    if (depth > DEEPEST) return this.ofText(code)
    this.readAssignments(code)
    const backslash = process.platform === 'win32' ? 'separates' : 'escapes'
    const variable = (name: string) => this.valueOf(name)
    const parts = splitCommand(code, { home: this.paths.home, backslash, variable })
    for (const part of parts) {
      for (const inner of part.inner) {
        const reason = this.readCode(inner, depth + 1)
        if (reason !== undefined) return reason
      }
      for (const word of part.written) {
        const found = this.find(word, false)
        if (found) return this.changes(found)
      }
      const reason = this.readPart(part, code, depth)
      if (reason !== undefined) return reason
    }
    return undefined
  }

  /** A variable that has several values, or that a loop sets, is unknown. */
  private readAssignments(code: string): void {
    for (const [, name, value] of code.matchAll(
      /(?:^|[\s;&|(])([A-Za-z_]\w*)=("[^"]*"|'[^']*'|[^\s;&|()]*)/g,
    )) {
      const options = {
        home: this.paths.home,
        backslash: 'escapes',
        variable: (one: string) => this.valueOf(one),
      } as const
      const [word] = splitCommand(value!, options)[0]?.words ?? []
      const isKnown = word && !word.unsure && !this.variables.has(name!)
      this.variables.set(name!, isKnown ? word.text : undefined)
    }
    for (const [, name] of code.matchAll(/\b(?:for|read|select)\s+(?:-\w+\s+)*([A-Za-z_]\w*)/g))
      this.variables.set(name!, undefined)
  }

  private valueOf(name: string): string | undefined {
    if (this.variables.has(name)) return this.variables.get(name)
    if (name === 'HOME') return this.paths.home
    if (name === 'PWD') return [...this.folders][0]
    return /_PROJECT_DIR$/.test(name) ? (process.env[name] ?? this.paths.roots.at(-1)) : process.env[name]
  }

  private readPart(part: SimpleCommand, code: string, depth: number): string | undefined {
    const { words, isWrapped, variables } = this.unwrap(part.words)
    const [first, ...rest] = words
    if (!first) return undefined
    const name = basename(first.text.replaceAll('\\', '/'))
      .toLowerCase()
      .replace(/\.exe$/, '')
    if (/^(?:cd|pushd|chdir)$/.test(name)) this.changeFolder(rest)
    const own = programReason({
      name,
      words,
      hasMore: isWrapped,
      variables,
      command: this.command,
      agent: this.paths.agent,
    })
    if (own !== undefined) return own
    if (name === 'eval')
      return (
        this.readCode(rest.map(({ text }) => text).join(' '), depth + 1) ?? this.ofText(part.inner.join('\n'))
      )
    const isShell = SHELLS.has(name)
    if (isShell || INTERPRETER.test(name)) return this.ofInterpreter(part, rest, isShell, code, depth)
    if (name === 'git') return this.ofGit(part, rest, depth)
    const writes = Object.hasOwn(READERS, name) ? READERS[name] : undefined
    const output = name === 'sed' ? this.ofSedScripts(rest) : name === 'xxd' ? this.ofXxd(rest) : undefined
    if (output !== undefined) return output
    const isReader = writes !== undefined && !(writes && rest.some(({ text }) => writes.test(text)))
    const isFind = name === 'find' && !this.isHarmlessFind(rest)
    if (isReader || (name === 'find' && !isFind)) {
      for (const word of rest) this.mentioned ??= this.find(word, false)
      return undefined
    }
    if (isWrapped || rest.some(({ pattern }) => pattern.includes('\0'))) this.isCarried = true
    if (name === 'patch') return this.ofPatchFiles(part, rest) ?? this.ofWords(name, rest)
    return this.ofWords(name, rest)
  }

  /** Without reserved words, assignments, and programs that start another one. */
  private unwrap(given: readonly Word[]) {
    const variables: string[] = []
    let words = given
    let isWrapped = false
    for (;;) {
      const [first] = words
      if (!first) return { words, isWrapped, variables }
      const [, variable] = ASSIGNMENT.exec(first.text) ?? []
      if (variable !== undefined) {
        variables.push(variable)
        this.mentioned ??= this.find(first, false)
      } else if (!RESERVED.has(first.text)) {
        if (!WRAPPERS.has(basename(first.text))) return { words, isWrapped, variables }
        this.changeWrapperFolder(words)
        for (const { text } of words) variables.push(...(ASSIGNMENT.exec(text)?.slice(1, 2) ?? []))
        isWrapped ||= /^(?:xargs|parallel)$/.test(basename(first.text))
        const next = words.findIndex(
          ({ text }, index) => index > 0 && (isProgram(basename(text)) || WRAPPERS.has(basename(text))),
        )
        const valued = VALUED[basename(first.text)]
        const other = words.findIndex(
          ({ text }, index) =>
            index > 0 && !/^-|^\d+\w?$|^\{\}$|=/.test(text) && !valued?.test(words[index - 1]!.text),
        )
        words = words.slice(Math.max(1, next > 0 ? next : other))
        continue
      }
      words = words.slice(1)
    }
  }

  /** `env -C` and `sudo -D` start the program in another folder. */
  private changeWrapperFolder(words: readonly Word[]): void {
    if (!/^(?:env|sudo)$/.test(basename(words[0]!.text))) return
    for (const [index, word] of words.entries()) {
      const [, joined] = /^(?:-[CD]|--chdir)=?(.*)$/.exec(word.text) ?? []
      if (joined === undefined) continue
      this.changeFolder(joined === '' ? words.slice(index + 1, index + 2) : [{ ...word, text: joined }])
    }
  }

  /** The command `w` of sed has the rest of its line as the file. */
  private ofSedScripts(words: readonly Word[]): string | undefined {
    for (const line of words.flatMap(({ text }) => text.split('\n'))) {
      const starts = [...line.matchAll(/[wW]/g)].map(({ index }) => index + 1)
      if (starts.length > MOST_WRITES) return this.ofText(line)
      for (const start of starts) {
        const found = this.findText(line.slice(start).trim())
        if (found) return this.changes(found)
      }
    }
    return undefined
  }

  /** xxd writes its second file. */
  private ofXxd(rest: readonly Word[]): string | undefined {
    const files = rest.filter(
      ({ text }, index) => !text.startsWith('-') && !/^-\w*[lscgo]$/.test(rest[index - 1]?.text ?? ''),
    )
    return this.ofWords('', files.slice(1))
  }

  private changeFolder(rest: readonly Word[]): void {
    const target = rest.find(({ text }) => !text.startsWith('-') || text === '-')
    const known = target && !target.pattern.includes('\0') ? target.text : undefined
    for (const folder of [...this.folders]) {
      if (known !== undefined && this.folders.size < 32) this.folders.add(resolve(folder, known))
    }
    if (known === undefined || known === '-') this.folders.add(this.paths.home)
  }

  /** Inline code counts by its text; a file that is run may be a hook script. */
  private ofInterpreter(
    part: SimpleCommand,
    rest: readonly Word[],
    isShell: boolean,
    code: string,
    depth: number,
  ): string | undefined {
    const inline = rest.findIndex(({ text }) => INLINE.test(text))
    const operands = rest.filter(({ text }) => !text.startsWith('-'))
    if (isShell && inline >= 0) return this.readCode(rest[inline + 1]?.text ?? '', depth + 1)
    if (inline >= 0) return this.ofText(rest.map(({ text }) => text).join('\n'))
    if (operands.length > 0) return this.ofWords('', operands.slice(1))
    if (part.input !== '') return isShell ? this.readCode(part.input, depth + 1) : this.ofText(part.input)
    this.isCarried = true
    return part.after.startsWith('|') ? this.ofText(`${code}\n${decoded(code)}`) : undefined
  }

  private ofText(text: string): string | undefined {
    const found = this.paths.findInText(text)
    return found && this.changes(found)
  }

  private ofWords(name: string, rest: readonly Word[]): string | undefined {
    const operands = rest.filter(({ text }) => !/^-/.test(text))
    const isRecursive = rest.some(({ text }) => /^-\w*[rRa]|^--(?:recursive|archive)/.test(text))
    const isDestructive = DESTRUCTIVE.has(name) && (!RECURSIVE_ONLY.has(name) || isRecursive)
    const hasTarget = rest.some(({ text }) => /^(?:-t|--target-directory)/.test(text))
    const judged =
      COPIERS.has(name) && !hasTarget
        ? rest.filter(word => word === operands.at(-1) || /=/.test(word.text))
        : rest
    for (const word of judged) {
      const found = this.find(word, isDestructive)
      if (found) return this.changes(found)
    }
    if (!COPIERS.has(name) && name !== 'mv' && name !== 'ln') return undefined
    // A copy into a folder has the name of its source.
    const target = operands.at(-1)
    for (const source of operands.slice(0, -1)) {
      const isContent = isRecursive && /(?:\/|\/\.|\*)$|^\.$/.test(source.text)
      const found =
        this.findText(join(target!.text, basename(source.text))) ??
        (isContent ? this.find(target!, true) : undefined)
      if (found) return this.changes(found)
    }
    return undefined
  }

  /** A search that deletes or starts programs is harmless if its names fit no protected file, or if those only read. */
  private isHarmlessFind(rest: readonly Word[]): boolean {
    const after = (option: RegExp) => rest.filter((_, index) => option.test(rest[index - 1]?.text ?? ''))
    const started = after(/^-(?:exec|ok)(?:dir)?$/)
    const isDeleting = rest.some(({ text }) => /^-(?:delete|f(?:print|ls).*)$/.test(text))
    if (!isDeleting && started.every(({ text }) => READERS[basename(text)] === null)) return true
    const names = after(/^-i?name$/)
    return names.length > 0 && !names.some(({ text }) => this.paths.fitsName(text))
  }

  private ofGit(part: SimpleCommand, given: readonly Word[], depth: number): string | undefined {
    let at = 0
    for (; /^-/.test(given[at]?.text ?? ''); at++) {
      if (given[at]!.text === '-C') this.changeFolder([given[at + 1]!].filter(Boolean))
      // The value may be a command: an alias, a pager, an editor.
      const [, code] = (given[at]!.text === '-c' && /=!?(.*)$/s.exec(given[at + 1]?.text ?? '')) || []
      const reason = code === undefined ? undefined : this.readCode(code, depth + 1)
      if (reason !== undefined) return reason
      if (/^-[Cc]$/.test(given[at]!.text)) at++
    }
    const command = given[at]?.text ?? ''
    const rest = given.slice(at + 1)
    const has = (option: RegExp) => rest.some(({ text }) => option.test(text))
    if (GIT_READS.has(command)) {
      const output = rest.filter(({ text }) => text.startsWith('--output'))
      for (const word of rest) if (!output.includes(word)) this.mentioned ??= this.find(word, false)
      return this.ofWords('', output)
    }
    if (/^(?:apply|am)$/.test(command)) return this.ofPatchFiles(part, rest)
    for (const word of rest) {
      const found = this.find(word, command === 'rm' || command === 'mv')
      if (found) return this.changes(found)
    }
    const isTree =
      has(/^(?:-f|--force|--|\.\/?|:\/|\*)$/) ||
      rest.some(word => !word.unsure && this.findText(word.text, true))
    const isReset = command === 'reset' && has(/^--(?:hard|merge|keep)$/) && !has(/^(?!-|HEAD$|@$)/)
    const isStash = command === 'stash' && (!has(/^[a-z]/) || has(/^(?:push|save)$/))
    const isRestored = /^(?:checkout|restore)$/.test(command) && isTree
    const isCleaned = command === 'clean' && has(/^-\w*f|^--force$/)
    const states = [
      ...(isReset || isStash || isRestored ? ['changed'] : []),
      ...(isCleaned || (isStash && has(/^-\w*[ua]|^--(?:all|include-untracked)$/)) ? ['untracked'] : []),
    ]
    if (states.length === 0) return undefined
    const found = this.paths.files().find(({ path }) => states.includes(gitStateOf(path, this.folders)))
    return found && this.changes(found)
  }

  private ofPatchFiles(part: SimpleCommand, rest: readonly Word[]): string | undefined {
    const files = [...rest, ...part.read].flatMap(({ text }) =>
      [...this.folders].map(folder => resolve(folder, text)),
    )
    return this.ofText([part.input, ...new Set(files.map(readSmall))].join('\n'))
  }

  /** The protected file that a word names, from each folder in which the command may run. */
  private find(word: Word, isDestructive: boolean): ProtectedPath | undefined {
    const { text, pattern } = word
    if (/(?<!\\)[*?[{\0]/.test(pattern)) {
      for (const folder of this.folders) {
        const found = this.paths.findPattern(word, folder, isDestructive)
        if (found) return found
      }
    }
    if (pattern.includes('\0')) return undefined
    const values = [text, text.slice(text.indexOf('=') + 1), /^-\w[/.~]/.test(text) ? text.slice(2) : text]
    for (const value of new Set(values)) {
      const found = this.findText(value, isDestructive)
      if (found) return found
    }
    return undefined
  }

  private findText(text: string, isDestructive = false): ProtectedPath | undefined {
    if (text === '' || /^-/.test(text)) return undefined
    for (const folder of this.folders) {
      // In a protected folder, any word could be a file.
      const isPath = /[/.~]/.test(text) || existsSync(resolve(folder, text))
      const found = isPath && this.paths.find(text, folder)
      const below = isDestructive ? this.paths.findBelow(text, folder) : undefined
      if (found || below) return found || below
    }
    return undefined
  }
}

const isProgram = (name: string): boolean =>
  Object.hasOwn(READERS, name) ||
  DESTRUCTIVE.has(name) ||
  COPIERS.has(name) ||
  SHELLS.has(name) ||
  KILLERS.has(name) ||
  AGENT_PROGRAMS.has(name) ||
  INTERPRETER.test(name) ||
  /^(?:holdfast|tee|touch|dd|truncate|patch)$/.test(name)

/** Texts in base64, which a pipe may decode. */
const decoded = (code: string): string =>
  (code.match(/[A-Za-z0-9+/]{12,}={0,2}/g) ?? [])
    .map(text => Buffer.from(text, 'base64').toString())
    .join('\n')

const LARGEST_PATCH = 4 * 1024 * 1024

const readSmall = (path: string): string => {
  try {
    const stats = statSync(path)
    return stats.isFile() && stats.size <= LARGEST_PATCH ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

/** The state of a file in the repository of one of the folders, by the index of git. */
function gitStateOf(
  path: string,
  folders: ReadonlySet<string>,
): 'changed' | 'untracked' | 'same' | 'outside' {
  let root = dirname(path)
  while (!existsSync(join(root, '.git')) && root !== dirname(root)) root = dirname(root)
  const isInside = [...folders].some(folder => !/^\.\.|^\//.test(relative(root, folder)))
  if (!isInside || !existsSync(join(root, '.git'))) return 'outside'
  try {
    const file = join(gitFolder(root), 'index')
    const index = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
    const name = Buffer.from(`${relative(root, path).replaceAll('\\', '/')}\0`)
    for (let at = index.indexOf(name); at >= 0; at = index.indexOf(name, at + 1)) {
      if (at < 74 || (index.readUInt16BE(at - 2) & 0xfff) !== name.length - 1) continue
      const { mtimeMs, size } = lstatSync(path)
      const isSame =
        index.readUInt32BE(at - 54) === Math.floor(mtimeMs / 1000) && index.readUInt32BE(at - 26) === size
      return isSame ? 'same' : 'changed'
    }
    return 'untracked'
  } catch {
    return 'changed'
  }
}

/** A worktree has a file that names its folder. */
function gitFolder(root: string): string {
  const path = join(root, '.git')
  if (!lstatSync(path).isFile()) return path
  const folder = readFileSync(path, 'utf8')
    .replace(/^gitdir: /, '')
    .trim()
  return isAbsolute(folder) ? folder : resolve(root, folder)
}
