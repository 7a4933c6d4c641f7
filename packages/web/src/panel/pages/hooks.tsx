// Every configured hook by source, in the order of priority.

import { useQuery } from '@connectrpc/connect-query'
import { useRef, useState } from 'react'
import { type Hook, type ListSourcesResponse, PanelService } from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../parts/button.js'
import { Facet, Filters, SearchField } from '../../parts/filters.js'
import type { Popup } from '../../parts/filters-popup.js'
import { Figure, Page, Side } from '../../parts/page.js'
import { Filtered, Region } from '../../parts/states.js'
import { useCommands } from '../../shell/commands.js'
import { useKeys } from '../../shell/keys.js'
import { asList, listOf, withTexts } from '../../shell/search.js'
import { figure } from '../../words/number.js'
import { line } from '../../words/plain.js'
import { hooks as route } from '../routes.js'
import { HookActions } from './hooks/actions.js'
import { toAddress } from './hooks/address.js'
import { HookDetail } from './hooks/detail.js'
import { First, LookedIn } from './hooks/first.js'
import { GroupView } from './hooks/group.js'
import styles from './hooks/hooks.module.css'
import { ProblemList } from './hooks/problems.js'
import {
  countsOf,
  type Group,
  groupsOf,
  isFiltered,
  needsTrust,
  STATE_WORDS,
  sourceWords,
  statesOf,
} from './hooks/shown.js'
import { HookState } from './hooks/state.js'
import { TrustDialog } from './hooks/trust.js'

export function Hooks() {
  const sources = useQuery(PanelService.method.listSources, {})
  return (
    <Region of={sources} loading={<Page title="Hooks">{null}</Page>}>
      {answer => <Listed answer={answer} />}
    </Region>
  )
}

function Listed({ answer: { sources, problems } }: { readonly answer: ListSourcesResponse }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [trusting, setTrusting] = useState<readonly Hook[]>([])
  const first = useRef<Popup>(null)
  const filter = { sources: listOf(search.source), states: listOf(search.state), text: search.q ?? '' }
  const groups = groupsOf(sources, filter)
  const shown = groups.flatMap(({ hooks }) => hooks)
  const all = sources.flatMap(({ hooks }) => hooks)
  const waiting = shown.filter(needsTrust)
  const chosen = all.find(({ id }) => id === search.hook)

  const narrow = (changes: Parameters<typeof withTexts<'source' | 'state' | 'q'>>[1]) =>
    void navigate({ search: withTexts(search, changes), replace: true })
  const choose = (id: string | undefined) => void navigate({ search: withTexts(search, { hook: id }) })
  const clear = () => narrow({ source: undefined, state: undefined, q: undefined })
  const walk = (step: number) => {
    const at = shown.findIndex(({ id }) => id === search.hook)
    const next = shown[Math.min(Math.max(at === -1 ? 0 : at + step, 0), shown.length - 1)]
    if (!next) return
    // Moving through the list adds one entry to the history, not one per hook.
    void navigate({ search: withTexts(search, { hook: next.id }), replace: search.hook !== undefined })
    const row = document.querySelector(`[data-hook="${CSS.escape(next.id)}"]`)
    row?.scrollIntoView({ block: 'nearest' })
  }
  const key = (keys: readonly string[], label: string, run: () => void, group = 'List') =>
    keys.map(each => ({ keys: each, label, group, run }))
  useKeys([
    ...key(['j', 'ArrowDown'], 'Next hook', () => walk(1)),
    ...key(['k', 'ArrowUp'], 'Previous hook', () => walk(-1)),
    ...key(['Home'], 'First hook', () => walk(-shown.length)),
    ...key(['End'], 'Last hook', () => walk(shown.length)),
    ...(chosen
      ? [
          ...key([']'], 'Next hook', () => walk(1), 'Detail'),
          ...key(['['], 'Previous hook', () => walk(-1), 'Detail'),
          ...key(
            ['o'],
            'Open as a page',
            () => void navigate({ to: '/hooks/$hook', params: { hook: toAddress(chosen.id) } }),
            'Detail',
          ),
        ]
      : []),
  ])
  useCommands(
    all.map(hook => ({
      label: `${hook.name} on ${hook.event}`,
      kind: 'hook',
      run: () => choose(hook.id),
    })),
  )
  return (
    <Page
      title="Hooks"
      figures={all.length > 0 ? <Figures hooks={all} groups={groups} /> : null}
      actions={
        waiting.length > 1 ? (
          <Button onClick={() => setTrusting(waiting)} aria-haspopup="dialog">
            Review all {waiting.length} untrusted
          </Button>
        ) : null
      }
      tools={
        all.length > 0 ? (
          <Filters
            search={
              <SearchField
                label="Search in hooks"
                value={filter.text}
                onChange={text => narrow({ q: text || undefined })}
              />
            }
            first={first}
            onClear={isFiltered(filter) ? clear : undefined}
          >
            <Facet
              popup={first}
              label="Source"
              options={sources
                .filter(({ hooks }) => hooks.length > 0)
                .map(({ kind, hooks }) => ({ name: kind, count: hooks.length }))}
              wordOf={sourceWords}
              chosen={filter.sources}
              onChange={names => narrow({ source: asList(names) })}
            />
            <Facet
              label="State"
              options={countsOf(all.flatMap(statesOf))}
              wordOf={name => STATE_WORDS[name] ?? line(name)}
              chosen={filter.states}
              onChange={names => narrow({ state: asList(names) })}
            />
          </Filters>
        ) : null
      }
      side={chosen ? <Beside hook={chosen} onClose={() => choose(undefined)} onTrust={setTrusting} /> : null}
    >
      {problems.length > 0 ? <ProblemList problems={problems} label="Problems of all sources" /> : null}
      {all.length === 0 && sources.every(({ state }) => state === 'absent') ? (
        <First sources={sources} />
      ) : groups.length === 0 ? (
        <Filtered what="hooks" onClear={clear} />
      ) : (
        <>
          {groups.map(group => (
            <GroupView
              key={group.source.id}
              group={group}
              rank={sources.indexOf(group.source) + 1}
              chosen={search.hook}
              onChoose={choose}
              onTrust={hook => setTrusting([hook])}
            />
          ))}
          <Absent sources={sources} isNarrowed={isFiltered(filter)} />
        </>
      )}
      {trusting.length > 0 ? <TrustDialog hooks={trusting} onClose={() => setTrusting([])} /> : null}
    </Page>
  )
}

function Figures({ hooks, groups }: { readonly hooks: readonly Hook[]; readonly groups: readonly Group[] }) {
  const shown = groups.reduce((sum, group) => sum + group.hooks.length, 0)
  const untrusted = hooks.filter(needsTrust).length
  const wrong = hooks.filter(({ problems }) => problems.length > 0).length
  const open = hooks.reduce((sum, { history }) => sum + (history?.failedOpen ?? 0), 0)
  return (
    <>
      <Figure value={figure(hooks.length)}>{hooks.length === 1 ? 'hook' : 'hooks'}</Figure>
      {shown < hooks.length ? <Figure value={figure(shown)}>shown</Figure> : null}
      {untrusted > 0 ? <Figure value={figure(untrusted)}>untrusted</Figure> : null}
      {wrong > 0 ? <Figure value={figure(wrong)}>with problems</Figure> : null}
      {open > 0 ? <Figure value={figure(open)}>{open === 1 ? 'run' : 'runs'} failed open</Figure> : null}
    </>
  )
}

const Absent = ({
  sources,
  isNarrowed,
}: {
  readonly sources: ListSourcesResponse['sources']
  readonly isNarrowed: boolean
}) => {
  const absent = sources.filter(({ state, hooks }) => state === 'absent' && hooks.length === 0)
  return absent.length > 0 && !isNarrowed ? <LookedIn sources={absent} /> : null
}

function Beside({
  hook,
  onClose,
  onTrust,
}: {
  readonly hook: Hook
  readonly onClose: () => void
  readonly onTrust: (hooks: readonly Hook[]) => void
}) {
  const detail = useQuery(PanelService.method.getHook, { id: hook.id })
  return (
    <Side
      label={`Hook ${hook.name}`}
      onClose={onClose}
      head={
        <>
          <h2 className={`${styles.sideName} mono`}>{line(hook.name)}</h2>
          <p className={styles.sideLine}>
            {hook.event} <HookState hook={hook} />
          </p>
          <HookActions hook={hook} onTrust={() => onTrust([hook])} isBeside />
        </>
      }
    >
      <Region of={detail}>{answer => <HookDetail key={hook.id} answer={answer} />}</Region>
    </Side>
  )
}
