// Records as OTLP logs, in the JSON encoding: one request of a log exporter, grouped by device.

import { shownOf } from '../../records/record.js'
import type { FullRecord } from '../../store/records.js'
import type { Names } from '../names.js'

interface Attribute {
  readonly key: string
  readonly value: object
}

const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: value } })
const whole = (key: string, value: number): Attribute => ({ key, value: { intValue: String(value) } })
const real = (key: string, value: number): Attribute => ({ key, value: { doubleValue: value } })
const flag = (key: string, value: boolean): Attribute => ({ key, value: { boolValue: value } })

/** By the shown verdict; the others are INFO. */
const SEVERITIES: Readonly<Record<string, readonly [number: number, text: string]>> = {
  deny: [13, 'WARN'],
  observed_deny: [10, 'INFO2'],
  ask: [10, 'INFO2'],
  failed: [17, 'ERROR'],
  failed_open: [18, 'ERROR2'],
}

export function logsOf(records: readonly FullRecord[], names: Names, teamId: string): object {
  const devices = groupedByDevice(records)
  return {
    resourceLogs: [...devices].map(([deviceId, own]) => ({
      resource: {
        attributes: [
          text('service.name', 'holdfast'),
          text('host.id', deviceId),
          text('host.name', names.devices.get(deviceId)?.name ?? ''),
          text('user.email', names.devices.get(deviceId)?.owner ?? ''),
          text('holdfast.team', teamId),
        ],
      },
      scopeLogs: [{ scope: { name: 'holdfast' }, logRecords: own.map(record => logOf(record, names)) }],
    })),
  }
}

function groupedByDevice(records: readonly FullRecord[]): Map<string, FullRecord[]> {
  const groups = new Map<string, FullRecord[]>()
  for (const record of records) {
    const own = groups.get(record.device_id)
    if (own) own.push(record)
    else groups.set(record.device_id, [record])
  }
  return groups
}

function logOf(record: FullRecord, { hooks }: Names): object {
  const verdict = shownOf(record)
  const [severityNumber, severityText] = SEVERITIES[verdict] ?? [9, 'INFO']
  return {
    timeUnixNano: nanos(record.at),
    observedTimeUnixNano: nanos(record.received_at),
    severityNumber,
    severityText,
    eventName: 'holdfast.run',
    body: { stringValue: record.summary },
    attributes: [
      text('holdfast.id', record.id),
      text('holdfast.event', record.event),
      text('holdfast.hook', hooks.get(record.hook) ?? record.hook),
      whole('holdfast.hook_id', record.hook_id),
      text('holdfast.source', record.source),
      text('holdfast.verdict', verdict),
      flag('holdfast.failed_open', record.failed_open === 1),
      flag('holdfast.observed', record.observed === 1),
      flag('holdfast.clock_skew', record.clock_skew === 1),
      real('holdfast.duration_ms', record.duration_ms),
      whole('holdfast.release', record.release),
      whole('holdfast.revision', record.revision),
      text('holdfast.conversation_id', record.conversation_id),
      text('holdfast.record', record.body),
    ],
  }
}

const nanos = (ms: number): string => `${ms}000000`
