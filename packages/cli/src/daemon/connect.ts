// A call to the daemon from Node. The native client of packages/cli/client does the same for agents.

import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { isOwnFolder, ownPlace, placeProblem, proofIn, runFolder, socketIn } from './place.js'
import { type Reply, readReply, writeRequest } from './protocol.js'
import { ownScript } from './start.js'

/** A daemon that is well sends a byte each second. */
const QUIET_MS = 5000

export interface DaemonCall {
  readonly home: string
  /** The words after the program. */
  readonly words: readonly string[]
  readonly input?: Buffer
  readonly signal?: AbortSignal
}

export type Connected =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'declined' }
  /** Nothing listens. */
  | { readonly kind: 'absent' }
  /** It is stopped, hung, or something else. */
  | { readonly kind: 'broken' }

export async function callDaemon({ home, words, input, signal }: DaemonCall): Promise<Connected> {
  const folder = runFolder(home)
  if (placeProblem(home) !== undefined || !isOwnFolder(folder)) return { kind: 'absent' }
  const { randomBytes } = await import('node:crypto')
  const token = randomBytes(16).toString('hex')
  const proof = proofIn(folder, token)
  try {
    writeFileSync(proof, '', { flag: 'wx', mode: 0o600 })
    return await new Promise<Connected>(resolve => {
      const socket = connect({ path: socketIn(folder), allowHalfOpen: true })
      const chunks: Buffer[] = []
      const end = (result: Connected) => {
        socket.destroy()
        signal?.removeEventListener('abort', cancel)
        resolve(result)
      }
      const cancel = () => socket.end()
      signal?.addEventListener('abort', cancel)
      socket.setTimeout(QUIET_MS, () => end({ kind: 'broken' }))
      socket.once('error', error => {
        const { code = '' } = error as NodeJS.ErrnoException
        end({ kind: code === 'ENOENT' || code === 'ECONNREFUSED' ? 'absent' : 'broken' })
      })
      socket.once('close', () => end({ kind: 'broken' }))
      socket.on('data', chunk => {
        chunks.push(chunk)
        const reply = readReply(Buffer.concat(chunks), token)
        if (reply === 'working') return
        if (reply === undefined) end({ kind: 'broken' })
        else end(reply === 'declined' ? { kind: 'declined' } : { kind: 'reply', reply })
      })
      socket.write(
        writeRequest({
          token,
          place: ownPlace(),
          home,
          cwd: process.cwd(),
          words: [ownScript(), ...words],
          env: process.env,
          body: input ?? Buffer.alloc(0),
        }),
      )
    })
  } finally {
    rmSync(proof, { force: true })
  }
}
