// The stylesheet of the pages before the dashboard. Its colours and fonts come from the dashboard's /tokens.css.

export const STYLE = `[hidden], .problem:empty { display: none !important; }
* { box-sizing: border-box; }
html { background: var(--bg); }
body { margin: 0; min-height: 100dvh; background: var(--bg); color: var(--text); font: 14px/22px var(--sans); font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased; }
header { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; min-height: 48px; padding: 8px 16px; border-bottom: 1px solid var(--border); background: var(--surface); font-size: 13px; line-height: 20px; }
header a { color: inherit; font-weight: 600; text-decoration: none; }
header .brand { display: flex; gap: 8px; align-items: center; }
header span { flex: 1; min-width: 0; color: var(--muted); overflow-wrap: anywhere; }
header .to { color: var(--accent); font-weight: 500; }
main { width: min(440px, 100% - 32px); margin: clamp(16px, 9vh, 88px) auto 40px; padding: 28px; border: 1px solid var(--border); border-radius: 8px; background: var(--surface); }
h1 { margin: 0 0 16px; font: 600 20px/26px var(--sans); overflow-wrap: anywhere; }
h2 { margin: 28px 0 12px; padding-top: 24px; border-top: 1px solid var(--border); font: 600 15px/22px var(--sans); }
p { margin: 0 0 14px; overflow-wrap: anywhere; }
main > :last-child { margin-bottom: 0; }
a { color: var(--accent); text-underline-offset: 2px; }
.field { margin-bottom: 16px; }
label { display: block; margin-bottom: 4px; font-weight: 500; }
input { width: 100%; min-height: 36px; padding: 6px 10px; border: 1px solid var(--control); border-radius: 6px; background: var(--surface); color: inherit; font: inherit; }
input.code { font: 20px/28px var(--mono); letter-spacing: .12em; text-transform: uppercase; }
.hint { display: block; margin-top: 4px; color: var(--muted); font-size: 13px; line-height: 20px; }
button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 36px; padding: 0 14px; border: 1px solid var(--accent); border-radius: 6px; background: var(--accent); color: var(--on-accent); font: 500 14px/20px var(--sans); text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
button.quiet, .button.quiet { border-color: var(--control); background: var(--surface); color: var(--text); }
button.quiet:hover, .button.quiet:hover { background: var(--hover); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin: 20px 0; }
.row form { display: contents; }
.problem, .done { padding: 10px 12px; border-left: 3px solid var(--deny-bar); border-radius: 4px; background: var(--deny-bg); color: var(--deny); }
.done { border-color: var(--allow-bar); background: var(--allow-bg); color: var(--allow); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 16px; margin: 0 0 20px; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 13px/20px var(--mono); font-variant-ligatures: none; }
@media (pointer: coarse) { button, .button, input { min-height: 44px; } input { font-size: 16px; } }
@media (max-width: 480px) {
  body { background: var(--surface); }
  main { width: 100%; margin: 0; padding: 20px 16px 40px; border: 0; border-radius: 0; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 8px; }
}
`
