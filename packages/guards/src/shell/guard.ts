// The shell guard as one of the guards: a command in a payload, and the topics of the options.

import { type Guard, type Judgement, listOf } from '../guard.js'
import { commandOf } from '../payload.js'
import { ALTERNATIVES } from './alternatives.js'
import { DEFAULT_TOPICS, evaluateCommand, TOPICS, type Topic } from './index.js'

export const shell: Guard = {
  name: 'shell',
  summary: 'destructive commands, code from the network, and leaks of secrets',
  options: {
    topics: { type: 'list', about: 'what is judged', default: DEFAULT_TOPICS, values: TOPICS },
  },
  alternatives: ALTERNATIVES,
  judge(payload, options, place): Judgement {
    const command = commandOf(payload)
    if (command === undefined) throw new Error('the payload has no command.')
    const topics = 'topics' in options ? { topics: listOf(options, 'topics') as Topic[] } : {}
    return evaluateCommand(command, { ...place, ...topics })
  },
}
