// Calls of a user to the team server, from a script or a terminal.

import type { Caller } from '@holdfast/team/caller'
import type { Given } from '../arguments.js'
import { UsageError } from '../usage-error.js'
import { openCallerDoor } from './door.js'
import { serverAddress } from './sign-in.js'

export async function callerOf(given: Given): Promise<Caller> {
  const address = given.value('server') ?? process.env.HOLDFAST_SERVER
  if (!address)
    throw new UsageError('Give the server: --server https://hooks.example.com, or HOLDFAST_SERVER.')
  const token = process.env.HOLDFAST_TOKEN
  if (!token) throw new UsageError('Set HOLDFAST_TOKEN to a token from the pages of the server.')
  const { callerOf: open } = await openCallerDoor()
  return open(
    serverAddress(address),
    token,
    (message, isUnknown) =>
      new UsageError(
        isUnknown ? `${message} Set HOLDFAST_TOKEN to one from the pages of the server.` : message,
      ),
  )
}
