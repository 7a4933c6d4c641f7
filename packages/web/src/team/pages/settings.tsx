import { lazy, Suspense } from 'react'
import { Page } from '../../parts/page.js'
import { Empty, Loading } from '../../parts/states.js'
import { Tabs } from '../../parts/tabs.js'
import { settings as settingsRoute } from '../routes.js'
import { SignIn } from './settings/sign-in.js'
import styles from './settings.module.css'

const Tokens = lazy(() => import('./settings/tokens.js').then(({ Tokens }) => ({ default: Tokens })))
const Keys = lazy(() => import('./settings/keys.js').then(({ Keys }) => ({ default: Keys })))
const Records = lazy(() => import('./settings/records.js').then(({ Records }) => ({ default: Records })))
const Danger = lazy(() => import('./settings/danger.js').then(({ Danger }) => ({ default: Danger })))

const TABS = [
  { name: 'sign-in', label: 'Sign-in', draw: SignIn },
  { name: 'tokens', label: 'Your tokens', draw: Tokens },
  { name: 'keys', label: 'Keys', draw: Keys },
  { name: 'records', label: 'Records', draw: Records },
  { name: 'danger', label: 'Danger zone', draw: Danger },
] as const

export function Settings() {
  const { tab } = settingsRoute.useParams()
  const found = TABS.find(({ name }) => name === tab)
  const Shown = found?.draw
  return (
    <Page
      title="Settings"
      name={found?.label ?? 'Settings'}
      tools={
        <Tabs
          label="Settings"
          tabs={TABS.map(({ name, label }) => ({ to: '/settings/$tab', params: { tab: name }, label }))}
        />
      }
    >
      <div className={styles.body}>
        <Suspense fallback={<Loading />}>
          {Shown ? <Shown /> : <Empty title="These settings do not exist">Choose a part above.</Empty>}
        </Suspense>
      </div>
    </Page>
  )
}
