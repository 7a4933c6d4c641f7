// The messages between the panel and `holdfast ui`.

export * from '../gen/holdfast/panel/v1/panel_pb.js'
