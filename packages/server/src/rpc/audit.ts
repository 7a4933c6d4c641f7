// AuditService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { AuditService } from '@holdfast/team'
import type { Team } from '../team.js'

export const auditRpc = (_team: Team): Partial<ServiceImpl<typeof AuditService>> => ({})
