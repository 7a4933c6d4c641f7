// The permissions of all methods, as one table. A method that is not in it cannot be called; a test compares it with
// the services, role by role.

import type { Role } from '../roles.js'

/** A role, with all roles above it; a device; or any authenticated caller. */
export type Allowed = Role | 'device' | 'anybody'

export const METHODS: Readonly<Record<string, Allowed>> = {
  'DeviceService/Enrol': 'anybody',
  'DeviceService/GetTeamHooks': 'device',
  'DeviceService/Watch': 'device',
  'DeviceService/SendRecords': 'device',
  'DeviceService/Report': 'device',
  'DeviceService/RenewToken': 'device',
  'DeviceService/Leave': 'device',

  'HooksService/ListHooks': 'auditor',
  'HooksService/GetHook': 'auditor',
  'HooksService/ListRevisions': 'auditor',
  'HooksService/GetRevision': 'auditor',
  'HooksService/CompareRevisions': 'auditor',
  'HooksService/ListEvents': 'auditor',
  'HooksService/SaveDraft': 'author',
  'HooksService/DiscardDraft': 'author',
  'HooksService/CheckDraft': 'author',
  'HooksService/ApproveUnrun': 'admin',

  'RolloutService/ListReleases': 'auditor',
  'RolloutService/GetRelease': 'auditor',
  'RolloutService/GetRolloutSettings': 'auditor',
  'RolloutService/ListPins': 'auditor',
  'RolloutService/Publish': 'admin',
  'RolloutService/Sign': 'admin',
  'RolloutService/RollBack': 'admin',
  'RolloutService/Advance': 'admin',
  'RolloutService/Halt': 'author',
  'RolloutService/Resume': 'admin',
  'RolloutService/SetKillSwitch': 'admin',
  'RolloutService/SetRolloutSettings': 'admin',
  'RolloutService/RefuseChange': 'admin',
  'RolloutService/Pin': 'admin',
  'RolloutService/Unpin': 'admin',

  'PeopleService/WhoAmI': 'auditor',
  'PeopleService/ListMembers': 'auditor',
  'PeopleService/InviteMember': 'admin',
  'PeopleService/SetMemberRole': 'admin',
  'PeopleService/RemoveMember': 'admin',
  'PeopleService/ListTokens': 'auditor',
  'PeopleService/CreateToken': 'auditor',
  'PeopleService/RevokeToken': 'auditor',
  'PeopleService/GetServer': 'admin',

  'DevicesService/ListDevices': 'auditor',
  'DevicesService/CountDevices': 'auditor',
  'DevicesService/GetDevice': 'auditor',
  'DevicesService/SetDeviceGroup': 'admin',
  'DevicesService/SetDeviceOwner': 'admin',
  'DevicesService/RevokeDevice': 'admin',
  'DevicesService/ListEnrolmentKeys': 'auditor',
  'DevicesService/CreateEnrolmentKey': 'admin',
  'DevicesService/RevokeEnrolmentKey': 'admin',

  'KeysService/GetTrust': 'auditor',
  'KeysService/PrepareKey': 'owner',
  'KeysService/SubmitTrust': 'owner',

  'AuditService/SearchRecords': 'auditor',
  'AuditService/GetRecord': 'auditor',
  'AuditService/CountRecords': 'auditor',
  'AuditService/GetFacets': 'auditor',
  'AuditService/ExportRecords': 'auditor',
  'AuditService/GetOverview': 'auditor',
  'AuditService/ListAdminActions': 'auditor',
  'AuditService/VerifyChain': 'auditor',
  'AuditService/WatchTeam': 'auditor',
  'AuditService/ListRefusedCalls': 'admin',
  'AuditService/GetRetention': 'auditor',
  'AuditService/SetRetention': 'admin',
  'AuditService/SetLegalHold': 'admin',

  'ReplayService/WhatIf': 'author',
}
