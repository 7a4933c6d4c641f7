// The details of a span that is not a run of a hook.

import { Facts } from '../../../parts/facts.js'
import { Side } from '../../../parts/page.js'
import type { Node } from '../../../parts/trace-tree.js'
import { Verdict } from '../../../parts/verdict.js'
import { count } from '../../../words/number.js'
import { line, lines } from '../../../words/plain.js'
import { span as took, whole } from '../../../words/time.js'

export interface SpanSideProps {
  readonly node: Node
  readonly startedAt: string
  readonly onClose: () => void
}

export function SpanSide({ node, startedAt, onClose }: SpanSideProps) {
  const { span, start, end, isOpen, isSkewed } = node
  const { hooks, ms } = hooksIn(node)
  const began = Date.parse(startedAt) + start
  return (
    <Side
      label="Step"
      onClose={onClose}
      head={
        <>
          {span.verdict ? <Verdict name={span.verdict} /> : null}
          <h2>{line(span.name || span.kind)}</h2>
        </>
      }
    >
      <Facts
        facts={[
          ['Kind', line(span.kind)],
          span.event ? ['Event', line(span.event)] : null,
          span.subject ? ['About', <code key="about">{lines(span.subject)}</code>] : null,
          ['Began', Number.isFinite(began) ? whole(began) : 'Unknown'],
          [
            'Took',
            isSkewed
              ? 'Its end is before its start: two clocks differ.'
              : isOpen
                ? `At least ${took(end - start)}; its end is unknown.`
                : took(end - start),
          ],
          ['Hooks', hooks === 0 ? 'None inside' : `${count(hooks, 'run')} inside, ${took(ms)} in total`],
        ]}
      />
    </Side>
  )
}

function hooksIn(node: Node): { hooks: number; ms: number } {
  let hooks = 0
  let ms = 0
  const stack = [...node.children]
  for (let each = stack.pop(); each; each = stack.pop()) {
    if (each.span.kind === 'hook') {
      hooks++
      ms += each.end - each.start
    }
    for (const child of each.children) stack.push(child)
  }
  return { hooks, ms }
}
