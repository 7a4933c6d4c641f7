// The test file of a first hook: what to expect for each event.

import { scalar } from '../test/scalar.js'
import type { Job } from './job.js'

export const casesText = (name: string, jobs: readonly Job[]): string =>
  [
    `# What ${name} must do. Run with: holdfast test`,
    '# A payload needs only the fields that matter for the case; a sample provides the others.',
    '# Only this hook runs, whatever else is configured beside it.',
    `about: ${scalar(name)}`,
    'cases:',
    ...jobs.map(casesOf).flatMap(lines => lines.map(line => (line === '' ? '' : `  ${line}`))),
  ].join('\n')

function casesOf(job: Job): string[] {
  const { name, answer } = job.spec
  switch (job.kind) {
    case 'guard': {
      const { field, stopped, passes, user, agent } = job.rule
      const forAgent = 'agent_message' in answer ? [`    agent message: ${scalar(agent)}`] : []
      return [
        `- name: ${scalar(`${name}: stops ${stopped}`)}`,
        `  event: ${name}`,
        `  payload: { ${field}: ${scalar(stopped)} }`,
        '  expect:',
        '    verdict: deny',
        `    user message: ${scalar(user)}`,
        ...forAgent,
        '',
        `- name: ${scalar(`${name}: allows ${passes}`)}`,
        `  event: ${name}`,
        `  payload: { ${field}: ${scalar(passes)} }`,
        '  expect: none',
        '',
      ]
    }
    case 'followup':
      return [
        `- name: ${scalar(`${name}: asks once for the tests`)}`,
        `  event: ${name}`,
        '  payload: { status: completed, loop_count: 0 }',
        `  expect: { followup: ${scalar(job.text)} }`,
        '',
        `- name: ${scalar(`${name}: does not ask a second time`)}`,
        `  event: ${name}`,
        '  payload: { status: completed, loop_count: 1 }',
        '  expect: { followup: null }',
        '',
      ]
    case 'context':
      return one(name, 'adds context', `{ context: ${scalar(job.text)} }`)
    case 'notice':
      return one(name, 'notifies the user', `{ user message: ${scalar(job.text)} }`)
    case 'audit':
      return one(name, 'logs a line and abstains', 'none')
  }
}

const one = (event: string, does: string, expected: string): string[] => [
  `- name: ${scalar(`${event}: ${does}`)}`,
  `  event: ${event}`,
  `  expect: ${expected}`,
  '',
]
