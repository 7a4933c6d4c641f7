// A stream of lines into a file of the browser, and from there to where downloads go. It never stands in memory as a
// whole where the browser has files of its own; where it has none, it does.

import { handOver, KEPT_MS } from '../../../parts/hand-over.js'

export interface Sink {
  write(lines: Uint8Array): Promise<void>
  /** All is written: hands it to the person. */
  done(): Promise<void>
  /** Throws away what was written. */
  drop(): Promise<void>
}

const MARK = 'holdfast-export-'

export async function openSink(name: string, type: string): Promise<Sink> {
  return (await inFile(name).catch(() => null)) ?? inMemory(name, type)
}

async function inFile(name: string): Promise<Sink | null> {
  if (!navigator.storage?.getDirectory) return null
  const folder = await navigator.storage.getDirectory()
  await sweep(folder)
  const own = `${MARK}${Date.now()}`
  const handle = await folder.getFileHandle(own, { create: true })
  if (!handle.createWritable) return null
  const writer = await handle.createWritable()
  return {
    write: lines => writer.write(lines as Uint8Array<ArrayBuffer>),
    async done() {
      await writer.close()
      handOver(name, await handle.getFile())
    },
    async drop() {
      await writer.abort().catch(() => {})
      await folder.removeEntry(own).catch(() => {})
    },
  }
}

/** What an earlier export left. */
async function sweep(folder: FileSystemDirectoryHandle): Promise<void> {
  const names: AsyncIterable<string> = (folder as unknown as { keys(): AsyncIterable<string> }).keys()
  for await (const name of names) {
    const age = Date.now() - Number(name.slice(MARK.length))
    if (name.startsWith(MARK) && !(age < KEPT_MS)) await folder.removeEntry(name).catch(() => {})
  }
}

function inMemory(name: string, type: string): Sink {
  const parts: BlobPart[] = []
  return {
    write: async lines => void parts.push(lines as Uint8Array<ArrayBuffer>),
    done: async () => handOver(name, new Blob(parts, { type })),
    drop: async () => void parts.splice(0),
  }
}
