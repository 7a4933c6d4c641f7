// The entry point of the panel's bundle.

import { handOver } from '../model.js'

export { openInBrowser } from './browser.js'
export type { QuestionSource } from './questions.js'
export { startPanel } from './start.js'

// This bundle can import by itself; it is loaded when a model is needed.
handOver(name => import(name))
