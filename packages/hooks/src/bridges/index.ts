// The bridges to other agents: their payload in, our hooks run, their answer out.

export { runBridge } from './bridge.js'
export { BRIDGES, findBridge } from './bridges.js'
export type { BridgeCall } from './conversation.js'
export type {
  Bridge,
  Conversation,
  Loss,
  Moment,
  Names,
  Occurrence,
  Outcome,
  Reply,
  Step,
  ToolRow,
} from './shape.js'
export { GATES } from './shape.js'
