// Changes that wait for a second admin: what was requested, and the buttons that decide.

import { type DescMethod, type DescMethodUnary, fromJsonString, toJson } from '@bufbuild/protobuf'
import {
  AuditService,
  type ChangeRequest,
  DevicesService,
  type GetRolloutSettingsResponse,
  HooksService,
  PeopleService,
  RolloutService,
  RolloutSettingsSchema,
} from '@holdfast/team/messages'
import { Button } from '../../../parts/button.js'
import { Facts } from '../../../parts/facts.js'
import { Refused } from '../../../parts/notice.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import { changedValues } from './requested.js'
import styles from './rollout.module.css'
import { TOUCHED } from './steps.js'

const METHODS = new Map<string, DescMethod>(
  [RolloutService, HooksService, AuditService, DevicesService, PeopleService].flatMap(service =>
    service.methods.map(method => [`${service.name}/${method.name}`, method] as const),
  ),
)
const ASKED = [...TOUCHED, 'ListPins', 'GetRetention']

export function Requests({ plan }: { readonly plan: GetRolloutSettingsResponse }) {
  if (plan.requests.length === 0) return null
  return (
    <section className="stack-loose" aria-label="Waiting for a second admin">
      <h2>Waiting for a second admin</h2>
      <ul className={styles.releases}>
        {plan.requests.map(request => (
          <Request key={request.id} request={request} plan={plan} />
        ))}
      </ul>
    </section>
  )
}

interface RequestProps {
  readonly request: ChangeRequest
  readonly plan: GetRolloutSettingsResponse
}

function Request({ request, plan }: RequestProps) {
  const { by, at, expiresAt, method: name, subject, callJson, whyNot } = request
  const method = METHODS.get(name) as DescMethodUnary | undefined
  const confirm = useAct(method ?? RolloutService.method.refuseChange, ASKED)
  const refuse = useAct(RolloutService.method.refuseChange, ASKED)
  const mayNotRefuse = useMay('RolloutService/RefuseChange')
  const error = confirm.error ?? refuse.error
  const now = plan.settings ? toJson(RolloutSettingsSchema, plan.settings) : {}
  return (
    <li>
      <div className="row">
        <strong>
          {name.split('/').pop()}: {line(subject)}
        </strong>
        <span className="muted">
          requested by {line(by)} <time title={whole(at)}>{ago(at)}</time>, expires {whole(expiresAt)}
        </span>
      </div>
      <Facts facts={changedValues(callJson, now).map(({ key, text }) => [key, line(text)])} />
      <Refused error={error} />
      <div className={styles.buttons}>
        <Button
          kind="primary"
          because={whyNot || (method ? undefined : 'This page does not know the change. Reload it.')}
          busy={confirm.busy}
          onClick={() => void confirm.run(fromJsonString(method!.input, callJson))}
        >
          Approve
        </Button>
        <Button because={mayNotRefuse} busy={refuse.busy} onClick={() => void refuse.run({ id: request.id })}>
          Refuse
        </Button>
      </div>
    </li>
  )
}
