// npm run recording: plays a session of the real command and writes it as an animated picture of a terminal,
// docs/pictures/quick-start.svg.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from './build.mjs'
import { main, root } from './steps.mjs'

/** [command, how many lines of its output are shown] */
const COMMANDS = [
  ['holdfast add shell', 3],
  ['holdfast fire beforeShellExecution --command "sudo rm -rf /var/log"', 20],
  ['holdfast install claude-code', 6],
]

const COLUMNS = 92
const LINE = 19
const CHARACTER = 8.4
const MARGIN = 18
const TYPING_MS = 28
const READING_MS = 1800
const COLOURS = { 31: '#f47067', 32: '#57ab5a', 33: '#c69026', 36: '#39c5cf' }

/** Plays the commands in a project and a home of their own. Returns each with the lines that it printed. */
export function play(commands = COMMANDS) {
  const place = mkdtempSync(join(tmpdir(), 'holdfast-recording-'))
  const [home, project] = ['home', 'shop'].map(name => join(place, name))
  for (const folder of [home, join(project, '.git')]) mkdirSync(folder, { recursive: true })
  const bin = join(place, 'bin')
  mkdirSync(bin)
  const program = join(root, 'packages/cli/bin/holdfast.cjs')
  writeFileSync(join(bin, 'holdfast'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
    mode: 0o755,
  })
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    FORCE_COLOR: '1',
    COLUMNS: String(COLUMNS),
    TERM: 'xterm-256color',
  }
  try {
    return commands.map(([command, most]) => {
      const { stdout, stderr, error } = spawnSync('sh', ['-c', command], {
        cwd: project,
        env,
        encoding: 'utf8',
      })
      if (error) throw error
      const lines = `${stdout}${stderr}`.replace(/^\n|\n+$/g, '').split('\n')
      return { command, lines: lines.length > most ? [...lines.slice(0, most), '  …'] : lines }
    })
  } finally {
    rmSync(place, { recursive: true })
  }
}

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: colours begin with the escape character
const SEQUENCE = /(\x1b\[[\d;]*m)/
const CODES = /^\x1b\[([\d;]*)m$/
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: end

/** A line with terminal sequences → spans. */
function renderLine(line) {
  let [colour, isBold, isDim] = [undefined, false, false]
  return line
    .split(SEQUENCE)
    .map(part => {
      const codes = CODES.exec(part)?.[1]
      if (codes === undefined) {
        if (part === '') return ''
        const style = [
          colour && `fill="${colour}"`,
          isBold && 'font-weight="700"',
          isDim && 'opacity="0.6"',
        ].filter(Boolean)
        return style.length === 0 ? escaped(part) : `<tspan ${style.join(' ')}>${escaped(part)}</tspan>`
      }
      for (const code of codes.split(';').map(Number)) {
        if (code === 0) [colour, isBold, isDim] = [undefined, false, false]
        else if (code === 1) isBold = true
        else if (code === 2) isDim = true
        else if (code === 22) [isBold, isDim] = [false, false]
        else colour = COLOURS[code]
      }
      return ''
    })
    .join('')
}

/** Each command is typed, and its output appears at once. Without motion, everything is visible. */
export function picture(session) {
  let [row, time] = [0, 300]
  const rows = []
  const add = (content, delay) =>
    rows.push(
      `<text class="line" x="${MARGIN}" y="${58 + row++ * LINE}" style="animation-delay:${delay}ms" xml:space="preserve">${content}</text>`,
    )
  for (const { command, lines } of session) {
    const typed = command.length * TYPING_MS
    add(`<tspan fill="#57ab5a">$</tspan> ${escaped(command)}`, time)
    time += typed
    for (const line of lines) add(renderLine(line), time)
    row++
    time += READING_MS
  }
  const [width, height] = [Math.round(COLUMNS * CHARACTER) + 2 * MARGIN, 40 + row * LINE]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal: ${escaped(
    session
      .map(({ command }) => command)
      .join('; ')
      .replaceAll('"', "'"),
  )}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#adbac7}
.line{animation:show 1ms both}
@keyframes show{from{visibility:hidden}to{visibility:visible}}
@media (prefers-reduced-motion:reduce){.line{animation:none}}
</style>
<rect width="100%" height="100%" rx="10" fill="#1c2128"/>
<circle cx="22" cy="20" r="6" fill="#f47067"/><circle cx="42" cy="20" r="6" fill="#c69026"/><circle cx="62" cy="20" r="6" fill="#57ab5a"/>
${rows.join('\n')}
</svg>
`
}

if (process.argv[1]?.endsWith('recording.mjs'))
  await main(async () => {
    await build()
    const file = join(root, process.argv[2] ?? 'docs/pictures/quick-start.svg')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, picture(play()))
    process.stdout.write(`${file}\n`)
  })
