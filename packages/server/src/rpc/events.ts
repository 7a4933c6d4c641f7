// The table of events in the form for pages.

import { EVENT_SPECS, type EventRow, samplePayload } from '@holdfast/hooks/protocol'

export const eventFacts = () =>
  EVENT_SPECS.map(spec => {
    const { name, category, summary, gate, failure, loop, subject }: EventRow & typeof spec = spec
    return {
      name,
      category,
      summary,
      gate,
      failure,
      countsLoops: loop === 'counts',
      subject: subject.doc.replaceAll('`', ''),
      subjectField: 'field' in subject ? subject.field : '',
      subjectExamples:
        'examples' in subject ? [...subject.examples] : 'word' in subject ? [subject.word] : [],
      hasMatcher: !('none' in subject),
      sampleJson: JSON.stringify(samplePayload(name), null, 2),
    }
  })
