// What the gateway knows of a server, whether it is a process or an address.

import type { Message } from './message.js'

export interface Server {
  /** Lines, each with its newline; null for one that was too long. They end when nothing more can come. */
  readonly lines: AsyncIterable<Buffer | null>
  /**
   * Sends one line on. `requests` are the ids, as written, that await an answer. Resolves when it may take more;
   * undefined when it may at once.
   */
  send(line: Buffer | string, requests: readonly string[]): Promise<void> | undefined
  /** The version of the protocol that both agreed on. */
  greeted(version: string): void
  /** The client has nothing more to say. After `patienceMs` the server is ended with all that it started. */
  finish(patienceMs: number): void
  readonly ended: Promise<Ended>
}

export interface Ended {
  readonly code: number
  /** Why the connection is over, for those who still wait. */
  readonly words: string
  /** Nobody asked it to end. */
  readonly isCrash: boolean
}

/** Messages for the user of the machine only. */
export type Note = (text: string) => void

/** The two sides of a translation between revisions of the protocol. Texts have no newline. */
export interface Sides {
  toClient(text: string): void
  toServer(text: string, ids?: readonly string[]): Promise<void> | undefined
  /** An id that no request of the client has, as JSON text. */
  newId(): string
}

export interface Translation {
  fromClient(message: Message): Promise<void> | undefined
  fromServer(message: Message): void
}
