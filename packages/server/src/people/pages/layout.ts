// The frame of every page.

import { type Html, html } from './html.js'

export interface Frame {
  readonly title: string
  readonly team: string
  /** Users who are signed in see the dashboard. */
  readonly isInside?: boolean
}

export const layout = ({ title, team, isInside = false }: Frame, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} · Holdfast</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<script src="/theme.js"></script>
<link rel="stylesheet" href="/tokens.css">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a class="brand" href="/"><img src="/icon.svg" alt="" width="20" height="20">Holdfast</a><span>${team}</span>${isInside ? html`<a class="to" href="/">To the dashboard</a>` : null}</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`

/** The error, in the place that screen readers announce first. */
export const problem = (sentence: string): Html | null =>
  sentence === '' ? null : html`<p class="problem" role="alert">${sentence}</p>`

export const done = (sentence: string): Html | null =>
  sentence === '' ? null : html`<p class="done" role="status">${sentence}</p>`

export interface Field {
  readonly name: string
  /** Default: the name. */
  readonly id?: string
  readonly label: string
  readonly type: 'text' | 'email' | 'password'
  readonly autocomplete: string
  readonly value?: string
  readonly hint?: string
  readonly shortest?: number
}

export const field = ({
  name,
  id = name,
  label,
  type,
  autocomplete,
  value = '',
  hint = '',
  shortest,
}: Field): Html => html`
<p class="field">
<label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required${shortest ? html` minlength="${shortest}"` : null}${hint ? html` aria-describedby="${id}-hint"` : null}>
${hint ? html`<span class="hint" id="${id}-hint">${hint}</span>` : null}
</p>`
