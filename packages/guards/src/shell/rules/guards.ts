// Guards that watch the agent: an agent neither turns them off nor approves for itself, and starts no agent without checks.

import { finding, type Rule, type Subject } from '../finding.js'
import { absolute } from '../paths.js'
import { patternOf } from '../patterns.js'

const GUARDS = /^(?:holdfast|nah|dcg|cc-safety-net|ccsn|tirith|cupcake)$/
/** Words of these programs that change what is guarded, or decide for the user. */
const CHANGES =
  /^(?:trust|untrust|allow(?:-once|list)?|approve|nap|snooze|pause|off|disable|enable|bypass|install|uninstall|remove|rm|reset|unset|add|init|login|logout|clear|panic|set|import|team|tui|ui)$/
const GUARD_PACKAGE =
  /^(?:holdfast|@holdfast\/\S+|nah|nah-cli|dcg|destructive[-_]command[-_]guard|cc-safety-net|tirith|cupcake)(?:@|==|$)/
const HOME = '(?:~|/home/[^/]+|/Users/[^/]+|/root)'
const GUARD_FILE = new RegExp(
  `^${HOME}/(?:\\.holdfast(?:/|$)|\\.nah(?:$|/(?!guards/))|\\.config/(?:dcg|tirith)(?:/|$)|\\.cc-safety-net(?:/|$)|(?:\\.local|\\.cargo)/bin/?(?:$|(?:holdfast|nah|dcg|cc-safety-net|tirith|cupcake)$))|/\\.cursor/holdfast\\.json$|^/usr/(?:local/)?bin/(?:holdfast|nah|dcg|cc-safety-net|tirith|cupcake)$`,
)

const WRITERS =
  /^(?:rm|rmdir|unlink|shred|trash|mv|tee|touch|truncate|chmod|chown|chattr|dd|patch|mkfifo|mknod|ed|ex|objcopy|strip|sponge|install|cp|ln|rsync|scp|remove-item|set-content)$/

/** Options and settings that start an agent without asking, or without its hooks. */
const AGENTS: Readonly<Record<string, RegExp>> = {
  claude:
    /(?:^| )(?:--dangerously-skip-permissions|--permission-mode[= ]bypassPermissions|--bare|--safe-mode|--settings\S*)(?: |$)/,
  codex:
    /(?:^| )(?:--yolo|--dangerously-\S+|--full-auto|(?:-a|--ask-for-approval)[= ]never|-c \S*hooks\S*)(?: |$)/,
  gemini: /(?:^| )(?:--yolo|-y|--approval-mode[= ]yolo)(?: |$)/,
  qwen: /(?:^| )(?:--yolo|-y|--approval-mode[= ]yolo)(?: |$)/,
  copilot: /(?:^| )(?:--allow-all\S*|--yolo)(?: |$)/,
  droid: /(?:^| )(?:--skip-permissions-unsafe|--settings)(?:[= ]|$)/,
  pi: /(?:^| )(?:--no-extensions|-ne)(?: |$)/,
  amp: /(?:^| )--dangerously-allow-all(?: |$)/,
  'cursor-agent': /(?:^| )(?:--force|-f|--yolo)(?: |$)/,
  aider: /(?:^| )--yes-always(?: |$)/,
  goose: /(?:^| )--no-profile(?: |$)/,
  opencode: /(?:^| )--pure(?: |$)/,
}
const OFF_VARIABLE =
  /^(?:OPENCODE_PURE|HOLDFAST_(?:OFF|DISABLE\w*)|DCG_BYPASS|DCG_DISABLE\w*|NAH_(?:OFF|DISABLE\w*|BYPASS)|SAFETY_NET_(?:OFF|DISABLE\w*)|CLAUDE_CODE_SIMPLE)=(?!$|0$|false$)/

const OFF = 'It changes or ends a guard.'

const programs: Rule = subject => {
  const { call } = subject
  const isOwnScript = subject.name === 'node' && /(?:^|\/)holdfast(?:\.c?js)?$/.test(subject.texts[0] ?? '')
  const name = isOwnScript ? 'holdfast' : subject.name
  const texts = isOwnScript ? subject.texts.slice(1) : subject.texts
  if (call.assignments.some(text => OFF_VARIABLE.test(text)))
    return finding('guards/off', 'A variable turns a guard off.')
  if (texts.some(text => /^(?:--help|-h|--dry-run)$/.test(text))) return undefined
  const words = texts.filter(text => !text.startsWith('-'))
  // `nah hook codex uninstall`: the verb may come after nouns.
  if (
    GUARDS.test(name) &&
    (CHANGES.test(words[0] ?? '') ||
      (/^(?:hooks?|rules?|config|packs?|guards?)$/.test(words[0] ?? '') &&
        words.slice(1, 3).some(word => CHANGES.test(word))))
  )
    return finding('guards/off', OFF)
  const without = Object.hasOwn(AGENTS, name) ? AGENTS[name] : undefined
  if (without?.test(texts.join(' '))) return finding('guards/agent', 'It starts an agent without its checks.')
  // Another agent's own commands about hooks: `hermes hooks rm`, `gemini hooks disable`.
  if (
    /^hooks?$/.test(words[0] ?? '') &&
    /^(?:rm|remove|disable|uninstall|off|delete|clear)$/.test(words[1] ?? '') &&
    /^(?:claude|codex|gemini|qwen|copilot|droid|pi|hermes|openclaw|opencode|amp|goose|cursor-agent|devin)$/.test(
      name,
    )
  )
    return finding('guards/off', 'It removes the hooks of an agent.')
  if (
    words[0] === 'config' &&
    /^(?:unset|set|remove|delete)$/.test(words[1] ?? '') &&
    /^(?:disableAllHooks|hooks(?:\.(?:pre|post)_?\w*tool(?:_(?:call|use))?)?(?:\.\d+)?)$/i.test(
      words[2] ?? '',
    )
  )
    return finding('guards/off', 'It removes the hooks of an agent.')
  if (
    /^(?:npm|pnpm|yarn|bun|cargo|pip3?|pipx|uv|brew|apt|apt-get|gem)$/.test(name) &&
    words.some(word => /^(?:uninstall|remove|rm|un|purge)$/.test(word)) &&
    words.some(word => GUARD_PACKAGE.test(word))
  )
    return finding('guards/off', 'It removes a guard.')
  return /^(?:kill|pkill|killall|taskkill|stop-process)$/.test(name) &&
    words.some(word => GUARDS.test(word.replace(/\.exe$/i, '')))
    ? finding('guards/off', 'It ends a guard.')
    : undefined
}

const files: Rule = subject => {
  const { name, call } = subject
  const isTarget = (text: string) => {
    const path = absolute(text, call.cwd, subject.paths) ?? text
    if (/\/bin\/?$/.test(path) && !/^(?:chmod|chown|rm|mv)$/.test(name)) return false
    return GUARD_FILE.test(path) || isPatternOf(path, subject)
  }
  for (const { operator, target } of call.redirects)
    if (/>/.test(operator) && isTarget(target.text)) return finding('guards/off', OFF)
  const edits =
    WRITERS.test(name) ||
    (/^(?:sed|perl|ruby)$/.test(name) && subject.has('i', 'in-place')) ||
    (/^g?awk$/.test(name) && subject.texts.includes('inplace'))
  if (!edits || subject.has('', 'help', 'version')) return undefined
  // A copy is only read, the last word is written.
  const words = /^(?:cp|scp|rsync|install|ln)$/.test(name) ? subject.operands.slice(-1) : subject.operands
  const found = words.some(({ text }) => text.includes('/') && isTarget(text))
  return found || (name === 'ln' && subject.operands.some(({ text }) => text.includes('/') && isTarget(text)))
    ? finding('guards/off', OFF)
    : undefined
}

/** `~/.na?` means a file of a guard too. */
function isPatternOf(path: string, { paths }: Subject): boolean {
  if (!/[*?[]/.test(path) || !path.startsWith(`${paths.home}/.`)) return false
  const pattern = path.slice(paths.home.length + 1).split('/')[0]!
  if (!/^\.[\w*?]*$/.test(pattern) || pattern.replace(/[.*?]/g, '') === '') return false
  const fits = patternOf(pattern)
  return ['.holdfast', '.nah', '.cc-safety-net'].some(name => fits?.test(name))
}

export const GUARD_RULES: readonly Rule[] = [programs, files]
