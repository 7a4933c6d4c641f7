// A host with so many megabytes in use. For each message it fires an event with one script hook, and reports the time, the
// longest turn of its event loop meanwhile, and the response.

import { openHooks } from '../packages/hooks/dist/index.js'

const [megabytes, home] = process.argv.slice(2)
const held = Array.from({ length: Number(megabytes) }, () => Buffer.alloc(1024 * 1024, 1))
const hooks = await openHooks({ workspaceRoots: [home], home, watch: false, log: { file: null } })

process.on('message', async () => {
  const began = performance.now()
  let last = began
  let longest = 0
  let isOver = false
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const { permission } = await hooks.fire('beforeShellExecution', {
    command: 'ls',
    cwd: home,
    sandbox: false,
  })
  isOver = true
  process.send({ ms: performance.now() - began, longest, permission, held: held.length })
})
process.send('ready')
