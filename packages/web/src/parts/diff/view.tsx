// The comparison, loaded as its own chunk.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef, useState } from 'react'
import type { DiffProps } from '../diff.js'
import { asBefore, shown } from '../editor/ends.js'
import { loadLanguage } from '../editor/languages.js'
import { look } from '../editor/look.js'
import { onlyRead } from '../editor/setup.js'
import styles from './diff.module.css'

/** Two columns of code need this much. */
const WIDE = 760
const FOLD = { margin: 3, minSize: 6 }

export default function DiffInside(props: DiffProps) {
  const {
    label,
    before,
    after,
    language = '',
    names = ['before', 'after'],
    isUnified = false,
    onChange,
  } = props
  const box = useRef<HTMLDivElement>(null)
  const host = useRef<HTMLDivElement>(null)
  const [isWide, setWide] = useState<boolean>()
  const beside = !isUnified && isWide
  const latest = useRef(props)
  latest.current = props
  /** The text that was given, and the text that was last reported. */
  const base = useRef(after)
  const said = useRef(after)
  const [version, setVersion] = useState(0)

  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWide(entry!.contentRect.width >= WIDE))
    watch.observe(box.current!)
    return () => watch.disconnect()
  }, [])

  const canEdit = onChange !== undefined
  useEffect(() => {
    // The view already has the text that was typed in it.
    if (after === said.current) return
    base.current = after
    said.current = after
    setVersion(version => version + 1)
  }, [after])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text comes as another version.
  useEffect(() => {
    if (beside === undefined) return
    let close = () => {}
    let current = true
    void loadLanguage(language).then(loaded => {
      if (!current) return
      const tell = EditorView.updateListener.of(update => {
        if (!update.docChanged) return
        said.current = asBefore(base.current, update.state.doc.toString())
        latest.current.onChange?.(said.current)
      })
      const all = (name: string): Extension => [
        look(),
        loaded,
        lineNumbers(),
        highlightSpecialChars(),
        drawSelection(),
        EditorView.lineWrapping,
        // Scrollable text must be focusable.
        EditorView.contentAttributes.of({ 'aria-label': `${label}, ${name}`, tabindex: '0' }),
      ]
      const right: Extension = canEdit
        ? [history(), keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]), tell]
        : onlyRead()
      const now = shown(said.current)
      if (beside) {
        const view = new MergeView({
          parent: host.current!,
          a: { doc: shown(before), extensions: [all(names[0]), onlyRead()] },
          b: { doc: now, extensions: [all(names[1]), right] },
          collapseUnchanged: FOLD,
          gutter: true,
          ...(canEdit && { revertControls: 'a-to-b' as const, renderRevertControl: takeOver }),
        })
        close = () => view.destroy()
      } else {
        const merged = unifiedMergeView({
          original: shown(before),
          mergeControls: canEdit ? control : false,
          collapseUnchanged: FOLD,
        })
        const state = EditorState.create({ doc: now, extensions: [all(names[1]), right, merged] })
        const view = new EditorView({ parent: host.current!, state })
        close = () => view.destroy()
      }
    })
    return () => {
      current = false
      close()
    }
  }, [before, version, beside, language, label, canEdit])

  return (
    <div className={styles.diff} ref={box}>
      <div className={styles.names} data-beside={beside || undefined}>
        <span>
          <span className={styles.minus} aria-hidden="true">
            −
          </span>
          {names[0]}
        </span>
        <span>
          <span className={styles.plus} aria-hidden="true">
            +
          </span>
          {names[1]}
        </span>
      </div>
      <div className={styles.both} ref={host} />
    </div>
  )
}

/** In one column the only action on a change is to revert it. */
function control(type: 'accept' | 'reject', act: (event: MouseEvent) => void): HTMLElement {
  if (type === 'accept') return document.createElement('span')
  const button = takeOver()
  button.className = styles.take!
  button.textContent = 'Take the other'
  button.onmousedown = act
  return button
}

function takeOver(): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = '→'
  button.title = 'Use this change'
  button.setAttribute('aria-label', 'Use this change')
  return button
}
