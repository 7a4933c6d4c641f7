// The pages of the dashboard and their addresses.

import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { texts } from '../shell/search.js'
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
  component: lazyRouteComponent(() => import('./pages/overview.js'), 'Overview'),
})

export const hooks = createRoute({
  getParentRoute: () => root,
  path: '/hooks',
  validateSearch: texts('q', 'sort', 'hook'),
  component: lazyRouteComponent(() => import('./pages/hooks/list.js'), 'Hooks'),
})

export const newHook = createRoute({
  getParentRoute: () => root,
  path: '/hooks/new',
  component: lazyRouteComponent(() => import('./pages/hook/edit.js'), 'NewHook'),
})

export const hook = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$id',
  component: lazyRouteComponent(() => import('./pages/hook/edit.js'), 'EditHook'),
})

export const revision = createRoute({
  getParentRoute: () => root,
  path: '/hooks/$id/rev/$number',
  validateSearch: texts('compare', 'tab', 'way', 'kind'),
  component: lazyRouteComponent(() => import('./pages/revision/revision.js'), 'RevisionPage'),
})

export const rollout = createRoute({
  getParentRoute: () => root,
  path: '/rollout',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(() => import('./pages/rollout/rollout.js'), 'Rollout'),
})

export const release = createRoute({
  getParentRoute: () => root,
  path: '/rollout/$number',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(() => import('./pages/rollout/rollout.js'), 'Rollout'),
})

export const devices = createRoute({
  getParentRoute: () => root,
  path: '/devices',
  validateSearch: texts('state', 'group', 'release', 'q', 'device'),
  component: lazyRouteComponent(() => import('./pages/devices.js'), 'Devices'),
})

export const enrolmentKeys = createRoute({
  getParentRoute: () => root,
  path: '/devices/keys',
  component: lazyRouteComponent(() => import('./pages/devices/keys.js'), 'EnrolmentKeys'),
})

export const members = createRoute({
  getParentRoute: () => root,
  path: '/members',
  component: lazyRouteComponent(() => import('./pages/members.js'), 'Members'),
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
  component: lazyRouteComponent(() => import('./pages/settings.js'), 'Settings'),
})

export const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: texts(
    'range',
    'from',
    'to',
    'verdict',
    'event',
    'hook',
    'device',
    'release',
    'conversation',
    'q',
    'record',
  ),
  component: lazyRouteComponent(() => import('./pages/audit.js'), 'Audit'),
})

export const adminActions = createRoute({
  getParentRoute: () => root,
  path: '/audit/admin',
  validateSearch: texts('q', 'machines', 'action'),
  component: lazyRouteComponent(() => import('./pages/audit/admin.js'), 'AdminActions'),
})

export const refusedCalls = createRoute({
  getParentRoute: () => root,
  path: '/audit/refused',
  validateSearch: texts('q', 'call'),
  component: lazyRouteComponent(() => import('./pages/audit/refused.js'), 'RefusedCalls'),
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
