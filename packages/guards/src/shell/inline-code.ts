// Code for other interpreters in an argument or on stdin: the shell commands and deletions in it. Not a parser of these
// languages: texts in quotes are taken for commands where the code starts processes.

import type { Word } from './call.js'

export interface InlineCode {
  /** Scripts for a shell. */
  readonly scripts: readonly string[]
  /** Calls that have the same effect. */
  readonly calls: readonly (readonly string[])[]
  readonly readsInput: boolean
  /** It starts processes from texts that are not in the code. */
  readonly isUnknown: boolean
}

const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  python: /^-\w*c$/,
  node: /^(?:-\w*[ep]|--eval|--print)$/,
  perl: /^-\w*[eE]$/,
  ruby: /^-\w*e$/,
  php: /^-\w*r$/,
  lua: /^-e$/,
  osascript: /^-e$/,
  bun: /^-e$/,
  deno: /^eval$/,
  rscript: /^-e$/,
}

const STARTS =
  /\b(?:system|popen|spawn\w*|exec\w*|subprocess|check_(?:call|output)|shell_exec|passthru|proc_open|Popen|do shell script|IO\.popen|Open3|run|call|qx|os\.exec\w*|child_process|Deno\.Command)\b|`|\$\(/
const DELETES_TREE =
  /\b(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|remove_dir_all|remove_entry_secure|unlink_r|fs\.rm|rimraf|removeSync)\b/
const DELETES_FILE = /\b(?:os\.remove|os\.unlink|unlinkSync|fs\.unlink|File\.delete|FileUtils\.rm|unlink)\b/

export function codeOf(
  name: string,
  args: readonly Word[],
  input: string | undefined,
): InlineCode | undefined {
  if (/^[gmn]?awk$/.test(name)) return ofAwk(args)
  const kind = name
    .replace(/[\d.]+$/, '')
    .replace(/^(?:pypy|ipython|py)$/, 'python')
    .replace(/^nodejs$/, 'node')
  const option = Object.hasOwn(INTERPRETERS, kind) ? INTERPRETERS[kind] : undefined
  if (!option) return undefined
  const attached = /^-[a-zA-Z]*[ceE](['"\w].*)$/s.exec(args[0]?.text ?? '')
  if (attached && kind === 'python' && !option.test(args[0]!.text))
    return codeOf(
      name,
      [
        { text: '-c', isKnown: true },
        { text: attached[1]!, isKnown: true },
      ],
      undefined,
    )
  const at = args.findIndex(({ text }) => option.test(text))
  const isFromInput = at === -1 && args.every(({ text }) => /^-/.test(text)) && input !== undefined
  if (at === -1 && !isFromInput) return undefined
  const code = isFromInput ? input : (args[at + 1]?.text ?? '')
  const texts = literalsOf(code)
  const starts = STARTS.test(code)
  // A list of arguments is one command: ["rm", "-rf", "/"].
  const lists = [...code.matchAll(/[[(]\s*((?:(['"])(?:\\.|(?!\2).)*\2\s*,?\s*){2,})[\])]/g)].map(
    ([, list]) => literalsOf(list!),
  )
  return {
    scripts: starts ? texts.filter(text => /[a-z]/i.test(text)) : [],
    calls: [
      ...(starts ? lists : []),
      ...(DELETES_TREE.test(code) ? texts.filter(isPath).map(text => ['rm', '-rf', expand(text)]) : []),
      ...(DELETES_FILE.test(code) ? texts.filter(isPath).map(text => ['rm', expand(text)]) : []),
    ],
    readsInput: isFromInput,
    isUnknown: (starts && texts.length === 0) || code.includes('\0'),
  }
}

/** Programs that awk starts: `system("…")`, `"…" | getline`, `print | "…"`. */
function ofAwk(args: readonly Word[]): InlineCode | undefined {
  const code = args.find(({ text }) => !text.startsWith('-'))?.text ?? ''
  if (!/\bsystem\s*\(|\|\s*(?:getline|"|&)|"\s*\|/.test(code)) return undefined
  const scripts = literalsOf(code).filter(text => /^\s*[\w./~]/.test(text))
  return { scripts, calls: [], readsInput: false, isUnknown: scripts.length === 0 }
}

const literalsOf = (code: string): string[] =>
  [...code.matchAll(/(['"`])((?:\\[\s\S]|(?!\1)[\s\S])*)\1|%x[({[]([^)}\]]*)/g)].map(([, , text, percent]) =>
    (text ?? percent ?? '').replace(/\\(['"`\\])/g, '$1').replace(/\\n/g, '\n'),
  )

const isPath = (text: string): boolean => /^[/~.$]/.test(text) || text.includes('/')

const expand = (text: string): string => text.replace(/^\$\{?HOME\}?/, '~')
