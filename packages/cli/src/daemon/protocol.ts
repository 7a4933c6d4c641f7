// The messages between a client and the daemon, over one connection for each call.
//
// Request: `holdfast-1` and a line end, the length of the header and of the body (4 bytes each, big endian), the header,
// and the body, which is stdin. The header is a list of texts, each with a zero byte at its end: the token, the place, the
// home folder, the current folder, the number of words, the words of the command line, and the environment.
//
// Reply: `w` each second while the daemon works, until `r` with the response, or `d`: the caller must do the
// work itself. The response is the exit code and the lengths of stdout and stderr (4 bytes each), the token of the
// request, stdout, stderr and `e`. Anything else, and any end before it, is no response.
//
// A client that closes its half of the connection cancels the call.

const MAGIC = Buffer.from('holdfast-1\n')
const LENGTHS = MAGIC.length + 8
const LARGEST_HEADER = 4 * 1024 * 1024
export const LARGEST_BODY = 64 * 1024 * 1024
const TOKEN_BYTES = 32

export const WORKING = Buffer.from('w')
export const DECLINED = Buffer.from('d')

export interface Request {
  readonly token: string
  readonly place: string
  readonly home: string
  readonly cwd: string
  readonly words: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly body: Buffer
}

export interface Reply {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Collects the bytes of one connection: undefined until the request is complete. Throws if it never can be. */
export function requestReader(): (chunk: Buffer) => Request | undefined {
  const chunks: Buffer[] = []
  let length = 0
  let expected = LENGTHS
  return chunk => {
    chunks.push(chunk)
    length += chunk.length
    if (length < expected) return undefined
    let all = Buffer.concat(chunks)
    if (expected === LENGTHS) {
      if (!all.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('another protocol')
      const [header, body] = [all.readUInt32BE(MAGIC.length), all.readUInt32BE(MAGIC.length + 4)]
      if (header > LARGEST_HEADER || body > LARGEST_BODY) throw new Error('a request that is too large')
      expected += header + body
      if (length < expected) {
        chunks.splice(0, chunks.length, all)
        return undefined
      }
    }
    if (length > expected) throw new Error('more than one request')
    all = all.subarray(MAGIC.length)
    return parseRequest(all.subarray(8, 8 + all.readUInt32BE(0)), all.subarray(8 + all.readUInt32BE(0)))
  }
}

function parseRequest(header: Buffer, body: Buffer): Request {
  if (header.at(-1) !== 0) throw new Error('a header without an end')
  const texts = header.toString('utf8', 0, header.length - 1).split('\0')
  const [token, place, home, cwd, count, ...rest] = texts
  const words = Number(count)
  if (cwd === undefined || !Number.isInteger(words) || words < 0 || words > rest.length)
    throw new Error('an incomplete header')
  // An assignment to `__proto__` would set the prototype.
  const env: NodeJS.ProcessEnv = Object.fromEntries(
    rest.slice(words).flatMap(entry => {
      const at = entry.indexOf('=', 1)
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : []
    }),
  )
  return { token: token!, place: place!, home: home!, cwd, words: rest.slice(0, words), env, body }
}

export function writeRequest({ token, place, home, cwd, words, env, body }: Request): Buffer {
  const entries = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const texts = [token, place, home, cwd, String(words.length), ...words, ...entries]
  const header = Buffer.from(texts.map(text => `${text}\0`).join(''))
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(header.length)
  lengths.writeUInt32BE(body.length, 4)
  return Buffer.concat([MAGIC, lengths, header, body])
}

export function writeReply(token: string, { exitCode, stdout, stderr }: Reply): Buffer {
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)]
  const head = Buffer.alloc(13)
  head[0] = 'r'.charCodeAt(0)
  head.writeUInt32BE(exitCode, 1)
  head.writeUInt32BE(out.length, 5)
  head.writeUInt32BE(err.length, 9)
  return Buffer.concat([head, Buffer.from(token, 'latin1'), out, err, Buffer.from('e')])
}

/** The reply in these bytes: `working` if more must come, undefined if they are none. */
export function readReply(bytes: Buffer, token: string): Reply | 'working' | 'declined' | undefined {
  let at = 0
  while (bytes[at] === WORKING[0]) at++
  const rest = bytes.subarray(at)
  if (rest.length === 0) return 'working'
  if (rest.equals(DECLINED)) return 'declined'
  if (rest[0] !== 'r'.charCodeAt(0)) return undefined
  const head = 13 + TOKEN_BYTES
  if (rest.length < head) return 'working'
  const [code, out, err] = [rest.readUInt32BE(1), rest.readUInt32BE(5), rest.readUInt32BE(9)]
  if (rest.toString('latin1', 13, head) !== token) return undefined
  const end = head + out + err
  if (rest.length <= end) return 'working'
  if (rest.length > end + 1 || rest[end] !== 'e'.charCodeAt(0)) return undefined
  const text = (from: number, to: number) => rest.toString('utf8', from, to)
  return { exitCode: code, stdout: text(head, head + out), stderr: text(head + out, end) }
}
