// The pages of the dashboard and their addresses.

import { createRootRoute, createRoute, redirect } from '@tanstack/react-router'
import { pageFile } from '../shell/page-file.js'
import { texts } from '../shell/search.js'
import { AUDIT_PARAMETERS } from './pages/audit/audit-filter.js'
import { Root } from './root.js'

const root = createRootRoute({ component: Root })

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview', replace: true })
  },
})

export const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  validateSearch: texts('range'),
  component: pageFile(() => import('./pages/overview.js'), 'Overview'),
})

export const hooks = createRoute({
  getParentRoute: () => root,
  path: '/hooks',
  validateSearch: texts('q', 'sort', 'hook'),
  component: pageFile(() => import('./pages/hooks/list.js'), 'Hooks'),
})

export const newHook = createRoute({
  getParentRoute: () => root,
  path: '/hooks/new',
  component: pageFile(() => import('./pages/hook/edit.js'), 'NewHook'),
})

export const hook = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$id',
  component: pageFile(() => import('./pages/hook/edit.js'), 'EditHook'),
})

export const revision = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$id/rev/$number',
  validateSearch: texts('compare', 'tab', 'kind'),
  component: pageFile(() => import('./pages/revision/revision.js'), 'RevisionPage'),
})

export const rollout = createRoute({
  getParentRoute: () => root,
  path: '/rollout',
  validateSearch: texts('tab'),
  component: pageFile(() => import('./pages/rollout/rollout.js'), 'Rollout'),
})

export const release = createRoute({
  getParentRoute: () => root,
  path: '/rollout/$number',
  validateSearch: texts('tab'),
  component: pageFile(() => import('./pages/rollout/rollout.js'), 'Rollout'),
})

export const devices = createRoute({
  getParentRoute: () => root,
  path: '/devices',
  validateSearch: texts(
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
  ),
  component: pageFile(() => import('./pages/devices.js'), 'Devices'),
})

export const enrolmentKeys = createRoute({
  getParentRoute: () => root,
  path: '/devices/keys',
  component: pageFile(() => import('./pages/devices/keys.js'), 'EnrolmentKeys'),
})

export const members = createRoute({
  getParentRoute: () => root,
  path: '/members',
  component: pageFile(() => import('./pages/members.js'), 'Members'),
})

const settingsIndex = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$tab', params: { tab: 'sign-in' }, replace: true })
  },
})

export const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings/$tab',
  component: pageFile(() => import('./pages/settings.js'), 'Settings'),
})

export const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: texts(...AUDIT_PARAMETERS, 'record'),
  component: pageFile(() => import('./pages/audit.js'), 'Audit'),
})

export const adminActions = createRoute({
  getParentRoute: () => root,
  path: '/audit/admin',
  validateSearch: texts('q', 'machines', 'action'),
  component: pageFile(() => import('./pages/audit/admin.js'), 'AdminActions'),
})

export const refusedCalls = createRoute({
  getParentRoute: () => root,
  path: '/audit/refused',
  validateSearch: texts('q', 'call'),
  component: pageFile(() => import('./pages/audit/refused.js'), 'RefusedCalls'),
})

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
