// The extensions of every editor, and those that change while it is open.

import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { complete } from './complete.js'
import { look } from './look.js'
import type { Schema } from './schema.js'

export interface Calls {
  readonly onRun?: (() => void) | undefined
  readonly onSave?: (() => void) | undefined
}

export function setup(
  label: string,
  text: string,
  calls: () => Calls,
  schema: () => Schema | undefined,
): Extension {
  return [
    look(),
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection({ cursorBlinkRate: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 1200 }),
    indentOnInput(),
    indentUnit.of(unitOf(text)),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    lintGutter(),
    autocompletion({ override: [context => offered(context, schema())], maxRenderedOptions: 60 }),
    // Scrollable text must be focusable, also when it is read-only.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.domEventHandlers({ beforeinput: typeOver }),
    // Before the defaults, which put an empty line in for mod+Enter.
    Prec.highest(
      keymap.of([
        { key: 'Mod-Enter', run: () => called(calls().onRun) },
        { key: 'Mod-s', run: () => called(calls().onSave), preventDefault: true },
      ]),
    ),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
  ]
}

/** By default, browsers join such lines with style attributes, which the content policy blocks. */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { from, to, empty } = view.state.selection.main
  const { inputType, data } = event
  if (empty || inputType !== 'insertText' || !data || view.composing || view.state.readOnly) return false
  const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' })
  const isTaken = view.state
    .facet(EditorView.inputHandler)
    .some(handler => handler(view, from, to, data, insert))
  if (!isTaken) view.dispatch(insert())
  event.preventDefault()
  return true
}

/** Read-only text can be read, searched and copied, also by keys. */
export const onlyRead = (): Extension => [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ 'aria-readonly': 'true' }),
]

function called(call: (() => void) | undefined): boolean {
  call?.()
  return call !== undefined
}

/** The indentation that the file uses. */
function unitOf(text: string): string {
  const found = /^(\t| {2,8})\S/m.exec(text)?.[1]
  return found ?? '  '
}

function offered(context: CompletionContext, schema: Schema | undefined): CompletionResult | null {
  if (!schema) return null
  const before = context.matchBefore(/[\w$"]+/)
  if (!context.explicit && !before) return null
  const found = complete(context.state.doc.toString(), context.pos, schema)
  if (!found) return null
  const typed = context.state.sliceDoc(found.from, context.pos)
  const isQuoted = typed.startsWith('"')
  return {
    from: found.from,
    options: found.offers.map(({ label, detail, info, draft, kind, rank }) => ({
      // The typed text is compared with the label: with quotes on both sides or on neither.
      label:
        isQuoted && !label.startsWith('"')
          ? `"${label}"`
          : !isQuoted
            ? label.replace(/^"(.*)"$/, '$1')
            : label,
      displayLabel: label,
      ...(detail !== undefined && { detail }),
      ...(info !== undefined && { info }),
      type: kind === 'property' ? 'property' : 'constant',
      boost: rank,
      apply: (view: EditorView, _: unknown, from: number, to: number) => {
        const [start, end] = draft.select ?? [draft.text.length, draft.text.length]
        view.dispatch({
          changes: { from, to: to + found.to - context.pos, insert: draft.text },
          selection: { anchor: from + start, head: from + end },
          userEvent: 'input.complete',
          scrollIntoView: true,
        })
      },
    })),
  }
}
