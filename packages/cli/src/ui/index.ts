// The door of the panel's bundle.

export { startPanel } from './start.js'
