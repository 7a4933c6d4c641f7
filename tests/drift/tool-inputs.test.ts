// The keys of tool_input in the reference, compared with the bridges and with recorded payloads.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BRIDGES } from '../../packages/hooks/src/bridges/index.js'
import { TOOL_INPUTS } from '../../scripts/generate/tool-inputs.js'
import { root } from '../architecture/source.js'

const RECORDINGS = join(root, 'tests/fixtures/recordings')
const keysOf = (agent: string, tool: string) => TOOL_INPUTS[agent]?.[tool]?.split(' ') ?? []

interface Call {
  readonly tool: string
  readonly keys: readonly string[]
}

/** The tool calls that an agent sent to its bridge. */
function recordedCalls(agent: string): Call[] {
  const folder = join(RECORDINGS, agent)
  return readdirSync(folder).flatMap(name => {
    const { runs } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    return runs.flatMap(({ stdin }: { stdin: Record<string, unknown> }) => {
      const { tool_name, toolName, tool_input, toolArgs } = stdin ?? {}
      const [tool, sent] = [tool_name ?? toolName, tool_input ?? toolArgs]
      const input = typeof sent === 'string' ? JSON.parse(sent) : sent
      return typeof tool === 'string' && typeof input === 'object' && input !== null
        ? [{ tool, keys: Object.keys(input) }]
        : []
    })
  })
}

describe.each(BRIDGES)('$title', ({ name: agent, names, evidence }) => {
  it('has the keys of every tool that the bridge knows, and those that the bridge renames', () => {
    for (const [tool, row] of Object.entries(names.tools)) {
      expect(keysOf(agent, tool), tool).not.toEqual([])
      expect(keysOf(agent, tool), tool).toEqual(expect.arrayContaining(Object.keys(row.keys ?? {})))
    }
  })

  it('has every key of the recorded payloads', () => {
    if (evidence === 'documented') return
    const calls = recordedCalls(agent).filter(({ tool }) => Object.hasOwn(TOOL_INPUTS[agent]!, tool))
    expect(calls.length).toBeGreaterThan(3)
    for (const { tool, keys } of calls)
      expect(keysOf(agent, tool), tool).toEqual(expect.arrayContaining([...keys]))
  })
})
