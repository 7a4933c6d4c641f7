// holdfast audit: the trail of what people did on the team server, proven whole by whoever asks.

import { Complaint } from '../complaint.js'
import { showHelp } from '../load.js'
import { known, noMore, OUTPUT, parse } from '../options.js'

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('audit', argv, { ...OUTPUT, server: 'value', file: 'value' })
  if (given.has('help')) return showHelp('audit')
  noMore('audit', given.positionals, 1)
  known('audit command', given.positionals[0] ?? 'verify', ['verify'])
  throw new Complaint('not yet')
}
