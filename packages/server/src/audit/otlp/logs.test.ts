import { expect, it } from 'vitest'
import type { FullRecord } from '../../store/records.js'
import { logsOf } from './logs.js'

const RECORD: FullRecord = {
  id: 'r1',
  at: 1_700_000_000_001,
  received_at: 1_700_000_000_002,
  device_id: 'd1',
  event: 'stop',
  hook: './guard.sh',
  hook_id: 3,
  source: 'team',
  verdict: 'allow',
  failed_open: 0,
  observed: 0,
  duration_ms: 1.5,
  release: 2,
  revision: 4,
  clock_skew: 0,
  conversation_id: 'c1',
  summary: 'ls',
  body: '{}',
}
type Logs = {
  resourceLogs: {
    resource: { attributes: { key: string; value: object }[] }
    scopeLogs: { logRecords: { attributes: { key: string; value: object }[] }[] }[]
  }[]
}
const logsFor = (records: FullRecord[]) =>
  logsOf(
    records,
    { devices: new Map([['d1', { name: 'laptop', owner: 'ada@example.com' }]]), hooks: new Map() },
    'team',
  ) as Logs
const logOf = (change: Partial<FullRecord>) =>
  logsFor([{ ...RECORD, ...change }]).resourceLogs[0]!.scopeLogs[0]!.logRecords[0]!
const valuesIn = (attributes: { key: string; value: object }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

it.each([
  [{ verdict: 'allow' }, 'allow', 9, 'INFO'],
  [{ verdict: 'none' }, 'none', 9, 'INFO'],
  [{ verdict: 'deny' }, 'deny', 13, 'WARN'],
  [{ verdict: 'deny', observed: 1 }, 'observed_deny', 10, 'INFO2'],
  [{ verdict: 'ask' }, 'ask', 10, 'INFO2'],
  [{ verdict: 'failed' }, 'failed', 17, 'ERROR'],
  [{ verdict: 'failed', failed_open: 1 }, 'failed_open', 18, 'ERROR2'],
])(
  'sends a record with %j on as %s, with the severity %i',
  (change, verdict, severityNumber, severityText) => {
    const log = logOf(change)
    expect(log).toMatchObject({ severityNumber, severityText })
    expect(valuesIn(log.attributes)['holdfast.verdict']).toBe(verdict)
  },
)

it('sends every field on, grouped by device', () => {
  const { attributes, ...log } = logOf({ failed_open: 1, observed: 1, clock_skew: 1 })
  expect(log).toMatchObject({
    timeUnixNano: '1700000000001000000',
    observedTimeUnixNano: '1700000000002000000',
    eventName: 'holdfast.run',
    body: { stringValue: 'ls' },
  })
  expect(valuesIn(attributes)).toEqual({
    'holdfast.id': 'r1',
    'holdfast.event': 'stop',
    'holdfast.hook': './guard.sh',
    'holdfast.hook_id': '3',
    'holdfast.source': 'team',
    'holdfast.verdict': 'failed_open',
    'holdfast.failed_open': true,
    'holdfast.observed': true,
    'holdfast.clock_skew': true,
    'holdfast.duration_ms': 1.5,
    'holdfast.release': '2',
    'holdfast.revision': '4',
    'holdfast.conversation_id': 'c1',
    'holdfast.record': '{}',
  })
  const { resourceLogs } = logsFor([RECORD, { ...RECORD, device_id: 'd2' }, { ...RECORD, id: 'r2' }])
  expect(resourceLogs.map(({ resource }) => valuesIn(resource.attributes))).toEqual([
    {
      'service.name': 'holdfast',
      'host.id': 'd1',
      'host.name': 'laptop',
      'user.email': 'ada@example.com',
      'holdfast.team': 'team',
    },
    {
      'service.name': 'holdfast',
      'host.id': 'd2',
      'host.name': '',
      'user.email': '',
      'holdfast.team': 'team',
    },
  ])
  expect(resourceLogs.map(({ scopeLogs }) => scopeLogs[0]!.logRecords.length)).toEqual([2, 1])
})
