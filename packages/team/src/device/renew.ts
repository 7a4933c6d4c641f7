// Requests a new token after two thirds of the old one's lifetime. The old one is valid until the new one is first
// used, so a crash between the two loses nothing.

import { type Enrolment, isTime, type Place } from '@holdfast/hooks/team'
import { DeviceService } from '../gen/holdfast/team/v1/device_pb.js'
import type { Around } from './around.js'
import type { Disk } from './disk.js'
import { saveEnrolment } from './enrolment.js'
import { call } from './rpc.js'

export function isRenewalDue({ token_from, token_until }: Enrolment, now: number): boolean {
  const [from, until] = [Date.parse(token_from), Date.parse(token_until)]
  return now >= from + ((until - from) * 2) / 3
}

/** A failed renewal is repeated at the next sync. */
export async function renewToken(
  around: Around,
  place: Place,
  disk: Disk,
  enrolment: Enrolment,
  signal?: AbortSignal,
): Promise<Enrolment> {
  if (!isRenewalDue(enrolment, around.now())) return enrolment
  try {
    const answer = await call(around, enrolment, DeviceService.method.renewToken, {}, { signal })
    if (answer.kind !== 'answer' || answer.value.token === '' || !isTime(answer.value.tokenExpiresAt))
      return enrolment
    const renewed: Enrolment = {
      ...enrolment,
      token: answer.value.token,
      token_from: new Date(around.now()).toISOString(),
      token_until: answer.value.tokenExpiresAt,
    }
    saveEnrolment(place, disk, renewed)
    return renewed
  } catch {
    return enrolment
  }
}
