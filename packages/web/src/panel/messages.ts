// What the panel and `holdfast ui` say to each other.

export * from '../gen/holdfast/panel/v1/panel_pb.js'
