// The pages of the dashboard and their addresses.

import { createRootRoute, createRoute, type RouteComponent, redirect } from '@tanstack/react-router'
import { pageFile } from '../shell/page-file.js'
import { texts } from '../shell/search.js'
import { AUDIT_PARAMETERS } from './pages/audit/audit-filter.js'
import { Root } from './root.js'

const root = createRootRoute({ component: Root })

/** A page of a file of its own, and the names in its query. */
const at = <const Path extends string, Exports extends Record<string, unknown>, Name extends string = never>(
  path: Path,
  load: () => Promise<Exports>,
  name: keyof Exports & string,
  names: readonly Name[] = [],
) => {
  const component = pageFile(load, name) as RouteComponent
  return createRoute({ getParentRoute: () => root, path, component, validateSearch: texts(...names) })
}

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview', replace: true })
  },
})
export const overview = at('/overview', () => import('./pages/overview.js'), 'Overview', ['range'])
export const hooks = at('/hooks', () => import('./pages/hooks/list.js'), 'Hooks', ['q', 'sort', 'hook'])
export const newHook = at('/hooks/new', () => import('./pages/hook/edit.js'), 'NewHook')
export const hook = at('/hooks/$id', () => import('./pages/hook/edit.js'), 'EditHook')
export const revision = at(
  '/hooks/$id/rev/$number',
  () => import('./pages/revision/revision.js'),
  'RevisionPage',
  ['compare', 'tab', 'kind'],
)
export const rollout = at('/rollout', () => import('./pages/rollout/rollout.js'), 'Rollout', ['tab'])
export const release = at('/rollout/$number', () => import('./pages/rollout/rollout.js'), 'Rollout', ['tab'])
export const devices = at('/devices', () => import('./pages/devices.js'), 'Devices', [
  'state',
  'group',
  'release',
  'ring',
  'hook',
  'revision',
  'has',
  'owner',
  'q',
  'device',
])
export const enrolmentKeys = at('/devices/keys', () => import('./pages/devices/keys.js'), 'EnrolmentKeys')
export const members = at('/members', () => import('./pages/members.js'), 'Members')

const settingsIndex = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$tab', params: { tab: 'sign-in' }, replace: true })
  },
})
export const settings = at('/settings/$tab', () => import('./pages/settings.js'), 'Settings')
export const audit = at('/audit', () => import('./pages/audit.js'), 'Audit', [...AUDIT_PARAMETERS, 'record'])
export const adminActions = at('/audit/admin', () => import('./pages/audit/admin.js'), 'AdminActions', [
  'q',
  'machines',
  'action',
])
export const refusedCalls = at('/audit/refused', () => import('./pages/audit/refused.js'), 'RefusedCalls', [
  'q',
  'call',
])

export const routeTree = root.addChildren([
  index,
  overview,
  hooks,
  newHook,
  hook,
  revision,
  rollout,
  release,
  devices,
  enrolmentKeys,
  members,
  settingsIndex,
  settings,
  audit,
  adminActions,
  refusedCalls,
])
