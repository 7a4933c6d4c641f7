// Calls of a person to the team server, from a script or a terminal.

import type { Caller } from '@holdfast/team/caller'
import { Complaint } from '../complaint.js'
import type { Given } from '../options.js'
import { openCallerDoor } from './door.js'
import { serverAddress } from './sign-in.js'

export async function callerOf(given: Given): Promise<Caller> {
  const address = given.value('server') ?? process.env.HOLDFAST_SERVER
  if (!address)
    throw new Complaint('Say which server: --server https://hooks.example.com, or HOLDFAST_SERVER.')
  const token = process.env.HOLDFAST_TOKEN
  if (!token) throw new Complaint('Say who you are: HOLDFAST_TOKEN, a token from the pages of the server.')
  const { callerOf: open } = await openCallerDoor()
  return open(
    serverAddress(address),
    token,
    (message, isUnknown) =>
      new Complaint(
        isUnknown ? `${message} Set HOLDFAST_TOKEN to one from the pages of the server.` : message,
      ),
  )
}
