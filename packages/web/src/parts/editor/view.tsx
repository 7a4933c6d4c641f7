// The editor, loaded as its own chunk: pages must not import this file.

import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView, placeholder } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import type { EditorProps } from './editor.js'
import { asBefore, shown } from './ends.js'
import { loadLanguage } from './languages.js'
import { place } from './marks.js'
import { onlyRead, setup } from './setup.js'

/** Below this width lines wrap, so that phones do not scroll sideways. */
const NARROW = 640

export default function EditorInside(props: EditorProps) {
  const { label, text, language = '', readOnly = false, problems, line } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  latest.current = props
  /** The text that was given, and the text that was last reported. */
  const base = useRef(text)
  const said = useRef(text)
  const parts = useRef({ language: new Compartment(), reading: new Compartment(), wrap: new Compartment() })

  // biome-ignore lint/correctness/useExhaustiveDependencies: one editor for the life of the part; the rest is handed in below.
  useEffect(() => {
    const { language, reading, wrap } = parts.current
    const open = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: shown(text),
        extensions: [
          setup(
            label,
            text,
            () => latest.current,
            () => latest.current.schema,
          ),
          language.of([]),
          reading.of(readOnly ? onlyRead() : []),
          wrap.of([]),
          props.placeholder ? placeholder(props.placeholder) : [],
          EditorView.updateListener.of(update => {
            if (!update.docChanged) return
            const now = asBefore(base.current, update.state.doc.toString())
            if (now === said.current) return
            said.current = now
            latest.current.onChange?.(now)
          }),
        ],
      }),
    })
    view.current = open
    const watch = new ResizeObserver(([entry]) => {
      const isNarrow = latest.current.wrap || entry!.contentRect.width < NARROW
      open.dispatch({ effects: wrap.reconfigure(isNarrow ? EditorView.lineWrapping : []) })
    })
    watch.observe(host.current!)
    if (props.focus) open.focus()
    return () => {
      watch.disconnect()
      open.destroy()
    }
  }, [])

  useEffect(() => {
    if (text === said.current) return
    base.current = text
    said.current = text
    const open = view.current!
    open.dispatch({ changes: { from: 0, to: open.state.doc.length, insert: shown(text) } })
  }, [text])

  useEffect(() => {
    let current = true
    void loadLanguage(language).then(loaded => {
      if (current) view.current?.dispatch({ effects: parts.current.language.reconfigure(loaded) })
    })
    return () => {
      current = false
    }
  }, [language])

  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.reading.reconfigure(readOnly ? onlyRead() : []) })
  }, [readOnly])

  useEffect(() => {
    const { state } = view.current!
    const placed = place(state.doc.toString(), problems ?? [])
    const found = placed.map(({ from, to, mark }): Diagnostic => {
      const severity = mark.severity === 'error' || mark.severity === 'warning' ? mark.severity : 'info'
      return { from, to, severity, message: mark.hint ? `${mark.message}\n${mark.hint}` : mark.message }
    })
    view.current!.dispatch(setDiagnostics(state, found))
  }, [problems])

  useEffect(() => {
    if (!line) return
    const open = view.current!
    const { from } = open.state.doc.line(Math.min(Math.max(line, 1), open.state.doc.lines))
    open.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  }, [line])

  return <div ref={host} className={props.className} data-editor="" />
}
