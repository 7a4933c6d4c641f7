// PeopleService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { PeopleService } from '@holdfast/team'
import type { Team } from '../team.js'

export const peopleRpc = (_team: Team): Partial<ServiceImpl<typeof PeopleService>> => ({})
