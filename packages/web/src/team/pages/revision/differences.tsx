// Compares two versions: options one by one, the script line by line.

import { useQuery } from '@connectrpc/connect-query'
import { type Hook, HooksService, type TeamHook } from '@holdfast/team/messages'
import { Diff } from '../../../parts/diff.js'
import { languageOf } from '../../../parts/editor/languages.js'
import { Region } from '../../../parts/states.js'
import { withTexts } from '../../../shell/search.js'
import { lines } from '../../../words/plain.js'
import { revision as revisionRoute } from '../../routes.js'
import { describeField, formOfContent, WORDS } from '../hook/form.js'
import styles from './revision.module.css'

const NOTHING = 'nothing'
const DRAFT = 'draft'

/** The version to compare with: 0 for the draft, undefined for nothing. (default: the previous revision) */
function comparedOf(text: string | undefined, hook: Hook, number: number): number | undefined {
  const before = number === 0 ? hook.revision : number - 1
  if (text === NOTHING) return undefined
  if (text === DRAFT && number !== 0 && hook.draft) return 0
  const given = Number(text)
  const isOther = Number.isInteger(given) && given > 0 && given <= hook.revision && given !== number
  return isOther ? given : before || undefined
}

/** 0 is the draft. */
export function Differences({ hook, number }: { readonly hook: Hook; readonly number: number }) {
  const search = revisionRoute.useSearch()
  const navigate = revisionRoute.useNavigate()
  const against = comparedOf(search.compare, hook, number)
  const after = useSide(hook, number)
  const before = useSide(hook, against ?? 0, against !== undefined)
  const change = (changes: { compare: string }) =>
    void navigate({ search: withTexts(search, changes), replace: true })
  const choices = Array.from({ length: hook.revision }, (_, index) => hook.revision - index)
  const nameOf = (which: number) => (which === 0 ? 'draft' : `revision ${which}`)
  return (
    <section className="stack-loose">
      <div className="row">
        <label>
          Compare with{' '}
          <select
            value={against === undefined ? NOTHING : against === 0 ? DRAFT : String(against)}
            onChange={event => change({ compare: event.target.value })}
          >
            <option value={NOTHING}>nothing</option>
            {number !== 0 && hook.draft ? <option value={DRAFT}>the draft</option> : null}
            {choices
              .filter(one => one !== number)
              .map(one => (
                <option key={one} value={one}>
                  revision {one}
                </option>
              ))}
          </select>
        </label>
      </div>
      <Region of={after}>
        {after =>
          against === undefined ? (
            <Compared before={undefined} after={after} names={[NOTHING, nameOf(number)]} />
          ) : (
            <Region of={before}>
              {before => <Compared before={before} after={after} names={[nameOf(against), nameOf(number)]} />}
            </Region>
          )
        }
      </Region>
    </section>
  )
}

function useSide(hook: Hook, number: number, isOn = true) {
  const asked = useQuery(
    HooksService.method.getRevision,
    { hookId: hook.id, number },
    { enabled: isOn && number !== 0 && number !== hook.revision, staleTime: Number.POSITIVE_INFINITY },
  )
  const known = number === 0 ? hook.draft : number === hook.revision ? hook.published : undefined
  return { ...asked, data: known ?? asked.data?.revision?.content }
}

interface ComparedProps {
  readonly before: TeamHook | undefined
  readonly after: TeamHook
  readonly names: readonly [string, string]
}

function Compared({ before, after, names }: ComparedProps) {
  const now = formOfContent(after)
  const then = before && formOfContent(before)
  const changed = WORDS.filter(
    ([field]) =>
      field !== 'name' &&
      (then
        ? describeField(field, then) !== describeField(field, now)
        : describeField(field, now) !== '' && (field !== 'isEndless' || now.isEndless)),
  )
  const isScript = now.type === 'command' || then?.type === 'command'
  const isSame = (then?.script ?? '') === now.script
  return (
    <>
      {changed.length > 0 ? (
        <table className={styles.fields}>
          <caption>Options</caption>
          <thead>
            <tr>
              <th scope="col">Option</th>
              {then ? <th scope="col">{names[0]}</th> : null}
              <th scope="col">{names[1]}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(([field, label]) => (
              <tr key={field} className={field === 'matcher' ? 'mono' : undefined}>
                <th scope="row">{label}</th>
                {then ? (
                  <td>
                    <del>{lines(describeField(field, then)) || 'empty'}</del>
                  </td>
                ) : null}
                <td>
                  {then ? (
                    <ins>{lines(describeField(field, now)) || 'empty'}</ins>
                  ) : (
                    lines(describeField(field, now))
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p className="muted">The options are unchanged.</p>
      )}
      {isScript && isSame ? <p className="muted">The script is unchanged.</p> : null}
      {isScript && !isSame ? (
        <section className="stack-loose">
          <h2>Script</h2>
          <Diff
            label="Script"
            before={then?.script ?? ''}
            after={now.script}
            language={languageOf(now.scriptName)}
            names={names}
            isUnified={then === undefined}
          />
        </section>
      ) : null}
    </>
  )
}
