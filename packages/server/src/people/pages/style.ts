// The one stylesheet of the pages that stand before the panel.

export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #fbfbfa; --sheet: #fff; --ink: #1d1f23; --soft: #5b6069; --line: #d9dbdf;
  --accent: #1f5fbf; --on-accent: #fff; --bad: #a4262c; --bad-ground: #fdf1f1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #131517; --sheet: #1b1e21; --ink: #e8e9eb; --soft: #a3a8b0; --line: #363b41;
    --accent: #7fb0ff; --on-accent: #0c1726; --bad: #ff9d9d; --bad-ground: #331c1e;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 4px 12px; padding: 14px 20px; border-bottom: 1px solid var(--line); }
header a { color: inherit; font-weight: 600; text-decoration: none; }
header span { color: var(--soft); overflow-wrap: anywhere; }
main { max-width: 26rem; margin: 32px auto; padding: 0 20px 40px; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 16px; }
h2 { font-size: 1.0625rem; margin: 32px 0 8px; }
p { margin: 0 0 14px; overflow-wrap: anywhere; }
a { color: var(--accent); }
.field { margin-bottom: 16px; }
label { display: block; margin-bottom: 4px; font-weight: 500; }
input { width: 100%; padding: 9px 11px; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); color: inherit; font: inherit; }
input.code { font: 1.375rem/1.4 ui-monospace, monospace; letter-spacing: .12em; text-transform: uppercase; }
.hint { display: block; margin-top: 4px; color: var(--soft); font-size: .875rem; }
button, .button { display: inline-block; padding: 9px 16px; border: 1px solid var(--accent); border-radius: 6px; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 500; text-decoration: none; cursor: pointer; }
button.quiet, .button.quiet { background: transparent; color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.row { display: flex; flex-wrap: wrap; gap: 10px; margin: 20px 0; }
.problem { padding: 10px 12px; border-left: 3px solid var(--bad); background: var(--bad-ground); color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 6px 16px; margin: 0 0 20px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: .9375rem/1.5 ui-monospace, monospace; }
@media (max-width: 420px) { main { margin-top: 20px; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 8px; } }
`
