// Only the messages: for pages, which verify no envelopes.

export { ACTIONS, type ActionKind } from './actions.js'
export * from './gen/holdfast/team/v1/audit_pb.js'
export * from './gen/holdfast/team/v1/device_pb.js'
export * from './gen/holdfast/team/v1/hooks_pb.js'
export * from './gen/holdfast/team/v1/people_pb.js'
export * from './gen/holdfast/team/v1/replay_pb.js'
export * from './gen/holdfast/team/v1/rollout_pb.js'
