// The guards, in a bundle of their own: holdfast guard, which is the hook, holdfast add and holdfast explain shell.

export { run as add } from './add.js'
export { run as explain } from './explain.js'
export { run as guard } from './guard.js'
