// What every page stands in.

import { type Html, html } from './html.js'

export interface Frame {
  readonly title: string
  readonly team: string
  /** To people who are signed in the dashboard is shown. */
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
<header><a href="/">Holdfast</a><span>${team}</span>${isInside ? html`<a class="to" href="/">To the dashboard</a>` : null}</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`

/** What went wrong, where screen readers say it first. */
export const problem = (sentence: string): Html | null =>
  sentence === '' ? null : html`<p class="problem" role="alert">${sentence}</p>`

export const done = (sentence: string): Html | null =>
  sentence === '' ? null : html`<p class="done" role="status">${sentence}</p>`

export interface Field {
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'email' | 'password'
  readonly autocomplete: string
  readonly value?: string
  readonly hint?: string
  readonly shortest?: number
}

export const field = ({
  name,
  label,
  type,
  autocomplete,
  value = '',
  hint = '',
  shortest,
}: Field): Html => html`
<p class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required${shortest ? html` minlength="${shortest}"` : null}${hint ? html` aria-describedby="${name}-hint"` : null}>
${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : null}
</p>`
