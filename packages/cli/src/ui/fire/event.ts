// The data for writing an event by hand.

import { type EventSpec, findEvent } from '@holdfast/hooks/protocol'
import { jsonOf } from '../path/shape.js'
import { notThere } from '../refusals.js'
import { payloadSchema } from '../schemas.js'

export function getEvent(name: string) {
  const spec = findEvent(name)
  if (!spec) throw notThere('There is no event of this name.')
  return { schemaJson: payloadSchema(spec.name), samples: samplesOf(spec) }
}

/** The fields that the host sets; the engine adds the rest. */
function samplesOf({ sample, subject }: EventSpec) {
  const usual = { name: 'Usual', payloadJson: jsonOf(sample) }
  if (!('field' in subject) || !Object.hasOwn(sample, subject.field)) return [usual]
  const others = subject.examples
    .filter(text => text !== sample[subject.field])
    .slice(0, MOST_SAMPLES)
    .map(text => ({ name: text, payloadJson: jsonOf({ ...sample, [subject.field]: text }) }))
  return [usual, ...others]
}

const MOST_SAMPLES = 8
