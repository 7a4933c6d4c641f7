// The editor in the colours of the page, which follow the theme.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const letters = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: 'var(--faint)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--allow)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--ask)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.self], color: 'var(--open)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--accent)' },
  {
    tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.standard(tags.name)],
    color: 'var(--accent)',
  },
  { tag: [tags.typeName, tags.className], color: 'var(--accent)' },
  { tag: [tags.punctuation, tags.bracket, tags.operator], color: 'var(--muted)' },
  { tag: tags.invalid, color: 'var(--deny)' },
])

const overlay = {
  border: '1px solid var(--border)',
  borderRadius: '6px',
  backgroundColor: 'var(--surface)',
  color: 'var(--text)',
  boxShadow: 'var(--shadow)',
}

const box = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '12px' },
  // The outline is around the box: the line numbers would cover an inner one.
  '&.cm-focused': { outline: 'none' },
  '&:not(.cm-focused) .cm-activeLine, &:not(.cm-focused) .cm-activeLineGutter': {
    backgroundColor: 'transparent',
  },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '18px',
    fontVariantLigatures: 'none',
    overflow: 'auto',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-content:focus-visible': { outline: 'none' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { border: '0', backgroundColor: 'var(--surface)', color: 'var(--faint)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 4px 0 12px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--selected)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--selected)',
    outline: '1px solid var(--control)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--deny-bg)' },
  '.cm-searchMatch': { backgroundColor: 'var(--ask-bg)', outline: '1px solid var(--ask-bar)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--ask-bg)', outline: '2px solid var(--ask-bar)' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontFamily: 'var(--sans)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--border)' },
  '.cm-panel.cm-search': { padding: '8px 32px 8px 12px' },
  '.cm-panel.cm-search label': { fontSize: '12px' },
  '.cm-panel.cm-search [name=close]': {
    color: 'var(--muted)',
    fontSize: '18px',
    right: '8px',
    cursor: 'pointer',
  },
  '.cm-textfield': {
    border: '1px solid var(--control)',
    borderRadius: '4px',
    backgroundColor: 'var(--surface)',
    fontSize: '12px',
  },
  '.cm-button': {
    border: '1px solid var(--control)',
    borderRadius: '4px',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '12px',
  },
  '.cm-button:active': { backgroundImage: 'none', backgroundColor: 'var(--hover)' },
  '.cm-tooltip': overlay,
  '.cm-tooltip-lint': { maxWidth: 'min(480px, 90vw)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxWidth: 'min(420px, 90vw)',
    fontFamily: 'var(--mono)',
    fontSize: '12px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600', color: 'var(--accent)' },
  '.cm-completionDetail': { color: 'var(--faint)', fontStyle: 'normal' },
  '.cm-completionInfo': {
    ...overlay,
    maxWidth: 'min(340px, 56vw)',
    padding: '8px 10px',
    fontFamily: 'var(--sans)',
    fontSize: '12px',
    lineHeight: '18px',
  },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--sans)', fontSize: '12px', lineHeight: '18px' },
  '.cm-diagnosticText': { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--deny-bar)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--ask-bar)' },
  '.cm-diagnostic-info': { borderLeft: '3px solid var(--control)' },
  '.cm-lintRange': { paddingBottom: '1px', backgroundImage: 'none', textDecoration: 'underline wavy 1px' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--deny-bar)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--ask-bar)' },
  '.cm-lintRange-info': { textDecorationColor: 'var(--control)' },
  '.cm-lintRange-active': { backgroundColor: 'var(--selected)' },
  '.cm-lint-marker': {
    width: '8px',
    height: '8px',
    margin: '5px 0 0 4px',
    borderRadius: '50%',
    content: 'none',
  },
  '.cm-lint-marker-error': { backgroundColor: 'var(--deny-bar)' },
  '.cm-lint-marker-warning': { borderRadius: '2px', backgroundColor: 'var(--ask-bar)' },
  '.cm-lint-marker-info': { backgroundColor: 'var(--control)' },
  '.cm-gutter-lint': { width: '14px' },
  // Comparisons.
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--allow-bg)' },
  '.cm-deletedLine, .cm-deletedChunk': { backgroundColor: 'var(--deny-bg)' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--deny-bg)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--allow-bg)' },
  // Underlined: a darker background would reduce the contrast of the text.
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px 0 var(--deny-bar)',
  },
  '&.cm-merge-b .cm-changedText, .cm-changedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px 0 var(--allow-bar)',
  },
  '.cm-changeGutter': { width: '3px', padding: '0' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--deny-bar)' },
  '&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter': { background: 'var(--allow-bar)' },
  '.cm-collapsedLines': {
    padding: '2px 8px',
    background: 'var(--sunken)',
    color: 'var(--muted)',
    fontFamily: 'var(--sans)',
  },
})

/** The content policy allows styles from scripts only with the nonce of the page. */
const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

export const look = (): Extension => [EditorView.cspNonce.of(nonce()), box, syntaxHighlighting(letters)]
