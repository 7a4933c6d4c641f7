// KeysService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { KeysService } from '@holdfast/team'
import type { Team } from '../team.js'

export const keysRpc = (_team: Team): Partial<ServiceImpl<typeof KeysService>> => ({})
