// The scripts of a hook.

import type { Script } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Editor } from '../../../parts/editor/editor.js'
import type { LanguageName } from '../../../parts/editor/languages.js'
import { Fold } from '../../../parts/path-text.js'
import { figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import styles from './hooks.module.css'

export interface ScriptsProps {
  readonly scripts: readonly Script[]
  /** Collapsed, where there are many. */
  readonly isFolded?: boolean
}

export const Scripts = ({ scripts, isFolded = false }: ScriptsProps) => (
  <>
    {scripts.length === 0 ? <p className="muted">It starts no file that can be shown.</p> : null}
    {scripts.map(script =>
      isFolded ? (
        <Fold key={script.shown} label={<code>{line(script.shown)}</code>}>
          {() => <Text script={script} />}
        </Fold>
      ) : (
        <figure key={script.shown} className={styles.scriptBox}>
          <figcaption className="mono">{line(script.shown)}</figcaption>
          <Text script={script} />
        </figure>
      ),
    )}
  </>
)

const Text = ({ script }: { readonly script: Script }) => (
  <>
    {script.text === '' && script.size > 0n ? (
      <p className="muted">No text: {figure(Number(script.size))} bytes of something else.</p>
    ) : (
      <Editor
        label={script.shown}
        text={script.text}
        language={script.language as LanguageName}
        readOnly
        height="fit"
      />
    )}
    {script.cut && script.text !== '' ? (
      <p className="muted">
        Only the beginning is shown; the file has {figure(Number(script.size))} bytes. Read the rest before
        you trust it.
      </p>
    ) : null}
  </>
)
