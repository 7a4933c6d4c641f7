import { Fragment } from 'react'
import { Dialog } from './dialog.js'
import styles from './help.module.css'
import { areKeysOn, bindings, keyCaps, switchKeys } from './keys.js'

export function Help({ onClose }: { readonly onClose: () => void }) {
  const groups = new Map<string, Map<string, string[]>>()
  for (const { group, label, keys } of bindings()) {
    const rows = groups.get(group) ?? new Map<string, string[]>()
    rows.set(label, [...new Set([...(rows.get(label) ?? []), keys])])
    groups.set(group, rows)
  }
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      <div className={styles.groups}>
        {[...groups].map(([group, rows]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl className={styles.rows}>
              {[...rows].map(([label, all]) => (
                <Fragment key={label}>
                  <dt>{label}</dt>
                  <dd>
                    {all.map(keys => (
                      <span key={keys} className={styles.keys}>
                        {keyCaps(keys).map(cap => (
                          <kbd key={cap}>{cap}</kbd>
                        ))}
                      </span>
                    ))}
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className={styles.setting}>
        <input
          type="checkbox"
          defaultChecked={areKeysOn()}
          onChange={event => switchKeys(event.target.checked)}
        />
        Use single keys outside of text fields
      </label>
    </Dialog>
  )
}
