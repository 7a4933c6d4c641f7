// The entry point for MCP: hooks between a client and a server, for every tool call.

export type { ServerInfo } from './call.js'
export type { GatewayOptions } from './gateway.js'
export { runGateway } from './gateway.js'
export type { ListenOptions } from './listen.js'
export { listen } from './listen.js'
export { pinFileOf } from './pins.js'
export type { Server } from './server.js'
export type { HttpOptions } from './server-http.js'
export { reachServer } from './server-http.js'
export type { ProcessOptions } from './server-process.js'
export { startServer } from './server-process.js'
