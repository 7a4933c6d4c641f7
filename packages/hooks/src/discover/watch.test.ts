import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, type Sandbox, sandbox } from './testing/sandbox.js'
import { type Watch, watch } from './watch.js'

cleanUp()

let open: Watch[] = []
afterEach(() => {
  for (const watcher of open) watcher.close()
  open = []
})

const wait = (ms: number) => new Promise(done => setTimeout(done, ms))

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
    /** Waits for one more change; how long it took. */
    next: async () => {
      const from = performance.now()
      if (count === 0) await Promise.race([new Promise<void>(done => (wake = done)), wait(3000)])
      const seen = count
      count = 0
      wake = undefined
      return { seen: seen > 0, ms: performance.now() - from }
    },
  }
}

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
    'a folder made anew',
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

describe('watch', () => {
  test.each(CASES)('sees %s within a second', async (_, prepare, change) => {
    const box = sandbox()
    const path = prepare(box)
    const { next } = start([path])
    await wait(20)
    change(box)
    const { seen, ms } = await next()
    expect(seen).toBe(true)
    expect(ms).toBeLessThan(1000)
  })

  test('goes on seeing after replaces and new folders', async () => {
    const box = sandbox()
    const path = box.write('a/f', '0')
    const { next } = start([path], 50)
    for (let i = 1; i <= 3; i++) {
      renameSync(box.write('a/f.tmp', `${i}`), path)
      expect((await next()).seen).toBe(true)
      rmSync(box.path('a'), { recursive: true })
      expect((await next()).seen).toBe(true)
      box.write('a/f', `${i}`)
      expect((await next()).seen).toBe(true)
    }
  })

  test('is quiet when nothing changed, also beside the file', async () => {
    const box = sandbox()
    const path = box.write('a/f', '1')
    const { count } = start([path], 20)
    box.write('a/other', '1')
    await wait(150)
    expect(count()).toBe(0)
  })

  test('many writes at once are one change', async () => {
    const box = sandbox()
    const path = box.write('a/f', '1')
    const { count } = start([path], 1000)
    await wait(20)
    for (let i = 0; i < 20; i++) writeFileSync(path, `${i}`)
    await wait(200)
    expect(count()).toBe(1)
  })

  test('update changes the set and swallows nothing', async () => {
    const box = sandbox()
    const [one, two] = [box.write('a/one', '1'), box.write('b/two', '1')]
    const { watcher, next, count } = start([one], 50)
    box.write('a/one', '12')
    watcher.update([one, two])
    expect((await next()).seen).toBe(true)
    box.write('b/two', '12')
    expect((await next()).seen).toBe(true)
    watcher.update([two])
    box.write('a/one', '123')
    await wait(150)
    expect(count()).toBe(0)
  })

  test('a change between reading and watching is seen', async () => {
    const box = sandbox()
    const file = box.hooks({ hooks: {} })
    const other = box.path('home/.cursor/hooks.json')
    await box.discover()
    box.hooks({ hooks: { stop: [] } })
    expect((await start([file]).next()).seen).toBe(true)
    await box.discover()
    box.write('home/.cursor/hooks.json', '{}')
    expect((await start([other]).next()).seen).toBe(true)
    await box.discover()
    const { count } = start([file, other], 20)
    await wait(100)
    expect(count()).toBe(0)
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

  test('after close nothing comes, and closing twice is fine', async () => {
    const box = sandbox()
    const path = box.write('a/f', '1')
    const { watcher, count } = start([path], 10)
    box.write('a/f', '12')
    watcher.close()
    watcher.close()
    watcher.update([path])
    await wait(80)
    expect(count()).toBe(0)
  })
})
