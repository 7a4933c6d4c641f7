// HooksService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { HooksService } from '@holdfast/team'
import type { Team } from '../team.js'

export const hooksRpc = (_team: Team): Partial<ServiceImpl<typeof HooksService>> => ({})
