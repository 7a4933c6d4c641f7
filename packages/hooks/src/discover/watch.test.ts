import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { cleanUp, type Sandbox, sandbox } from './testing/sandbox.js'
import { type Watch, watch } from './watch.js'

cleanUp()

let open: Watch[] = []
afterEach(() => {
  for (const watcher of open) watcher.close()
  open = []
  vi.useRealTimers()
})

function start(paths: string[], pollMs?: number) {
  let count = 0
  let wake: (() => void) | undefined
  const onChange = () => {
    count++
    wake?.()
  }
  const watcher = watch(paths, onChange, pollMs === undefined ? {} : { pollMs })
  open.push(watcher)
  return {
    watcher,
    count: () => count,
    /** Waits for one more change. */
    next: async () => {
      if (count === 0) await new Promise<void>(done => (wake = done))
      count = 0
      wake = undefined
    },
  }
}

/** Timers run when the test says so: a poll, then the report of what it found. */
function fakeTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  return (ms: number) => vi.advanceTimersByTime(ms)
}
const HOUR = 3_600_000

const CASES: [name: string, prepare: (box: Sandbox) => string, change: (box: Sandbox) => void][] = [
  ['a write', box => box.write('a/f', '1'), box => box.write('a/f', '12')],
  ['a write of the same size', box => box.write('a/f', '1'), box => box.write('a/f', '2')],
  [
    'an atomic replace',
    box => box.write('a/f', '1'),
    box => renameSync(box.write('a/f.tmp', '2'), box.path('a/f')),
  ],
  ['a removal', box => box.write('a/f', '1'), box => unlinkSync(box.path('a/f'))],
  [
    'a late creation',
    box => {
      mkdirSync(box.path('a'))
      return box.path('a/f')
    },
    box => box.write('a/f', '1'),
  ],
  ['a folder that was missing', box => box.path('a/b/f'), box => box.write('a/b/f', '1')],
  [
    'a folder that was created again',
    box => box.write('a/f', '1'),
    box => {
      rmSync(box.path('a'), { recursive: true })
      box.write('a/f', '1')
    },
  ],
  [
    'the target of a link',
    box => {
      box.write('target/f', '1')
      mkdirSync(box.path('a'))
      symlinkSync('../target/f', box.path('a/f'))
      return box.path('a/f')
    },
    box => box.write('target/f', '2'),
  ],
  [
    'a link that leads elsewhere',
    box => {
      box.write('one/f', '1')
      box.write('two/f', '1')
      symlinkSync('one', box.path('a'))
      return box.path('a/f')
    },
    box => {
      symlinkSync('two', box.path('next'))
      renameSync(box.path('next'), box.path('a'))
    },
  ],
]

/** Changes that the folder of the file itself reports. */
const IN_ITS_FOLDER = [
  'a write',
  'a write of the same size',
  'an atomic replace',
  'a removal',
  'a late creation',
]

describe('watch', () => {
  test.each(CASES)('sees %s at the next poll', (_, prepare, change) => {
    const pass = fakeTime()
    const box = sandbox()
    const { count } = start([prepare(box)])
    pass(1000)
    expect(count()).toBe(0)
    change(box)
    pass(1000)
    expect(count()).toBe(1)
  })

  test.each(CASES.filter(([name]) => IN_ITS_FOLDER.includes(name)))(
    'sees %s without a poll',
    async (_, prepare, change) => {
      const box = sandbox()
      const { next } = start([prepare(box)], HOUR)
      change(box)
      await next()
    },
  )

  test('goes on seeing after replaces and new folders', async () => {
    const box = sandbox()
    const path = box.write('a/f', '0')
    const { next } = start([path], 50)
    for (let i = 1; i <= 3; i++) {
      renameSync(box.write('a/f.tmp', `${i}`), path)
      await next()
      rmSync(box.path('a'), { recursive: true })
      await next()
      box.write('a/f', `${i}`)
      await next()
    }
  })

  test('is quiet when nothing changed, also beside the file', () => {
    const pass = fakeTime()
    const box = sandbox()
    const { count } = start([box.write('a/f', '1')], 20)
    box.write('a/other', '1')
    pass(1000)
    expect(count()).toBe(0)
  })

  test('many writes at once are one change', () => {
    const pass = fakeTime()
    const box = sandbox()
    const path = box.write('a/f', '1')
    const { count } = start([path], 10)
    for (let i = 0; i < 20; i++) {
      writeFileSync(path, `${i}`)
      pass(1)
    }
    pass(1000)
    expect(count()).toBe(1)
  })

  test('update changes the set and swallows nothing', () => {
    const pass = fakeTime()
    const box = sandbox()
    const [one, two] = [box.write('a/one', '1'), box.write('b/two', '1')]
    const { watcher, count } = start([one], 50)
    box.write('a/one', '12')
    watcher.update([one, two])
    pass(1000)
    expect(count()).toBe(1)
    box.write('b/two', '12')
    pass(1000)
    expect(count()).toBe(2)
    watcher.update([two])
    box.write('a/one', '123')
    pass(1000)
    expect(count()).toBe(2)
  })

  test('a change between reading and watching is seen', async () => {
    const box = sandbox()
    const file = box.hooks({ hooks: {} })
    const other = box.path('home/.cursor/hooks.json')
    const seen = (paths: string[]) => {
      const pass = fakeTime()
      const { count } = start(paths)
      pass(1000)
      vi.useRealTimers()
      return count()
    }
    await box.discover()
    box.hooks({ hooks: { stop: [] } })
    expect(seen([file])).toBe(1)
    await box.discover()
    box.write('home/.cursor/hooks.json', '{}')
    expect(seen([other])).toBe(1)
    await box.discover()
    expect(seen([file, other])).toBe(0)
  })

  test('never keeps the process alive', async () => {
    const box = sandbox()
    const program = box.path('watcher.mjs')
    await build({
      stdin: {
        contents: `import { watch } from './watch.js'
          watch([process.argv[1], '/no/such/folder/file'], () => {}, { pollMs: 10 })`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
      logLevel: 'silent',
    })
    const child = spawn(process.execPath, [program], { stdio: 'ignore', timeout: 10_000 })
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('after close nothing comes, and closing twice is fine', () => {
    const pass = fakeTime()
    const box = sandbox()
    const path = box.write('a/f', '1')
    const { watcher, count } = start([path], 10)
    box.write('a/f', '12')
    pass(15)
    watcher.close()
    watcher.close()
    watcher.update([path])
    pass(1000)
    expect(count()).toBe(0)
  })
})
