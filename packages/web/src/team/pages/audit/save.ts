// Saves a stream of lines as a file of the browser, and then to its downloads. It is in memory as a whole only in
// browsers without a file system of their own.

import { handOver, KEPT_MS } from '../../../parts/hand-over.js'

export interface Sink {
  write(lines: Uint8Array): Promise<void>
  /** Completes the file and downloads it. */
  done(): Promise<void>
  /** Deletes what was written. */
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

/** Left by an earlier export. */
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
