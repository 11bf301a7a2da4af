/** The style sheet of a report, with the colours and sizes of the inspector's pages. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1b1f24, #e6e8eb);
  --quiet: light-dark(#5a6472, #9aa4b1);
  --ground: light-dark(#ffffff, #14171b);
  --raised: light-dark(#f3f5f7, #1d2127);
  --line: light-dark(#d3d9e0, #343b44);
  --accent: light-dark(#0b5cad, #6cb2ff);
  --good: light-dark(#1a7f37, #56d364);
  --warning: light-dark(#9a6700, #e3b341);
  --danger: light-dark(#c1121f, #ff7b72);
  --hover: light-dark(#e9edf1, #272d35);
  --shade: light-dark(#1b1f2440, #e6e8eb4d);
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 14px / 20px system-ui, sans-serif;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
h1, h2, h3, h4 { margin: 0; font-weight: 600; }
h1 { font-size: 24px; line-height: 32px; text-wrap: balance; }
h2 { margin: 32px 0 12px; font-size: 18px; line-height: 24px; }
h4 { margin-top: 12px; font-size: 13px; color: var(--quiet); }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; top: -48px; left: 8px; z-index: 3; padding: 4px 12px; border-radius: 6px; background: var(--accent); color: var(--ground); }
.skip:focus { top: 8px; }
.bar { display: flex; flex-wrap: wrap; gap: 6px 20px; align-items: center; padding: 8px 24px; border-bottom: 1px solid var(--line); background: var(--raised); }
.brand { margin: 0; font-size: 15px; font-weight: 600; }
.brand span { color: var(--quiet); font-weight: 400; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0; }
.facts > div { display: flex; gap: 6px; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
select { height: 32px; margin-left: auto; padding: 0 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: inherit; font: inherit; }
main { max-width: 1320px; margin: 0 auto; padding: 24px 24px 64px; outline: none; }
.good { color: var(--good); }
.bad { color: var(--danger); }
.warning { color: var(--warning); }
.quiet { color: var(--quiet); }
td .good, td .bad, td .warning { white-space: nowrap; }

.verdict { padding: 16px 20px; border: 1px solid var(--line); border-left: 5px solid var(--accent); border-radius: 6px; color: inherit; }
.verdict p { margin: 6px 0 0; max-width: 96ch; }
.verdict .verdict-word { margin: 0 0 4px; font-weight: 600; }
.verdict h1 { color: var(--text); }
.verdict.good { border-left-color: var(--good); }
.verdict.bad { border-left-color: var(--danger); }
.verdict.warning { border-left-color: var(--warning); }
.verdict.good .verdict-word { color: var(--good); }
.verdict.bad .verdict-word { color: var(--danger); }
.verdict.warning .verdict-word { color: var(--warning); }
.verdict > p:not(.verdict-word):not(.quiet) { color: var(--text); }
.tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 12px; margin: 12px 0 0; }
.tile { min-width: 0; overflow-wrap: anywhere; padding: 12px 16px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); }
.tile dt { color: var(--quiet); font-size: 13px; }
.tile dd { margin: 4px 0 0; font-size: 22px; line-height: 28px; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile small { display: block; color: var(--quiet); font-size: 12.5px; line-height: 18px; font-weight: 400; }

.panes { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); grid-auto-flow: dense; gap: 12px; }
.pane { display: flex; flex-direction: column; min-width: 0; padding: 12px 16px 14px; border: 1px solid var(--line); border-radius: 6px; }
.pane.whole, .pane.map { grid-column: 1 / -1; }
.pane > header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 4px 16px; margin-bottom: 8px; }
.pane h3 { font-size: 13px; color: var(--quiet); }
.pane p { margin: 0 0 8px; }
.pane > .readout { min-height: 20px; margin: 8px 0 0; font-size: 13px; font-variant-numeric: tabular-nums; }
.violation { border-color: var(--danger); border-left-width: 4px; }
.violation-text { font-weight: 600; }
.events { max-height: 260px; margin: 4px 0 0; padding-left: 40px; overflow: auto; }
.events code { overflow-wrap: anywhere; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 0; padding: 0; list-style: none; font-size: 12px; color: var(--quiet); }
.swatch { display: inline-block; width: 18px; height: 0; margin-right: 6px; border-top: 3px solid; vertical-align: 3px; }
.swatch.first { border-color: var(--accent); }
.swatch.danger { border-color: var(--danger); }
.swatch.honest, .swatch.attacker { width: 9px; height: 9px; border: 0; background: var(--accent); border-radius: 50%; vertical-align: 0; }
.swatch.attacker { background: var(--danger); border-radius: 0; }
.swatch.robbed { width: 10px; height: 10px; border: 2px solid var(--danger); border-radius: 50%; vertical-align: -1px; }
.swatch.closed { border-top: 2px dashed var(--danger); }
.swatch.band { height: 11px; border: 1px solid var(--warning); border-radius: 2px; background: color-mix(in srgb, var(--warning) 22%, var(--ground)); vertical-align: -1px; }

.plot { display: none; }
.plot svg { display: block; width: 100%; height: auto; border-radius: 4px; touch-action: pan-y; }
.plots { container-type: inline-size; }
.half-small, .whole-small, .map-small { display: block; }
/* A drawing is shown from about eleven twelfths of its width on: its letters have twelve pixels. */
@container (min-width: 520px) {
  .half-small { display: none; }
  .half-middle { display: block; }
}
@container (min-width: 610px) {
  .whole-small, .map-small { display: none; }
  .whole-middle, .map-middle { display: block; }
}
@container (min-width: 1110px) {
  .whole-middle, .map-middle { display: none; }
  .whole-large, .map-large { display: block; }
}
svg text { fill: var(--quiet); font: 12px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
svg .end { text-anchor: end; }
svg .mid { text-anchor: middle; }
svg .middle { dominant-baseline: central; }
.grid, .tick { fill: none; stroke: var(--line); }
path.axis { fill: none; stroke: var(--quiet); }
.line { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.area { fill: var(--accent); fill-opacity: .13; stroke: none; }
.bar.first { fill: var(--accent); }
.bar.danger { fill: var(--danger); }
.ground { fill: none; }
.low { fill: none; stroke: var(--accent); stroke-width: 2; }
.low.danger { stroke: var(--danger); }
.shade { fill: var(--warning); fill-opacity: .13; }
.band { fill: color-mix(in srgb, var(--warning) 22%, var(--ground)); stroke: var(--warning); }
svg .band-name { fill: var(--text); font-size: 12px; dominant-baseline: central; pointer-events: none; }
.zone { fill: var(--danger); fill-opacity: .09; }
.zone-edge { fill: none; stroke: var(--danger); stroke-dasharray: 4 3; }
svg .zone-name { fill: var(--danger); font-weight: 600; }
line.pointer { stroke: var(--text); stroke-dasharray: 2 3; pointer-events: none; }
circle.pointer { fill: none; stroke: var(--text); stroke-width: 2; pointer-events: none; }

svg.map { background: var(--raised); }
.map-small .spot { stroke-width: .5; }
svg.map path { fill: none; stroke: var(--quiet); }
svg.map .unused { stroke-width: .5; stroke-opacity: .3; stroke-dasharray: 2 3; }
svg.map .closed { stroke: var(--danger); stroke-width: 1; stroke-opacity: .5; stroke-dasharray: 5 3; }
svg.map .flow { stroke: var(--accent); stroke-opacity: .55; }
.spot { fill: var(--accent); stroke: var(--raised); stroke-width: 1; }
.spot.attacker { fill: var(--danger); }
/* The ring is around what is as large as what went through. */
.spot.robbed { fill: var(--ground); stroke: var(--danger); stroke-width: 5; paint-order: stroke; }
svg .name { fill: var(--text); font-weight: 600; paint-order: stroke; stroke: var(--raised); stroke-width: 4px; stroke-linejoin: round; }

table { width: 100%; border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; text-align: left; vertical-align: baseline; border-top: 1px solid var(--line); }
thead th, thead td { border-top: 0; color: var(--quiet); font-weight: 500; white-space: nowrap; }
tbody th { font-weight: 500; }
th:last-child, td:last-child { padding-right: 4px; }
.number { text-align: right; white-space: nowrap; }
.scroller { position: relative; max-height: 560px; overflow: auto; }
/* A shade at the lower edge as long as there is more below: at the end, what scrolls with the content covers it. */
.scroller, .events {
  background:
    linear-gradient(transparent, var(--ground) 60%) bottom / 100% 40px no-repeat local,
    linear-gradient(transparent, var(--shade)) bottom / 100% 18px no-repeat scroll;
}
.scroller thead th { position: sticky; top: 0; z-index: 1; background: var(--ground); }
th button { padding: 0; border: 0; background: none; color: inherit; font: inherit; cursor: pointer; }
th button { text-decoration: underline dotted; text-underline-offset: 3px; }
th button:hover { color: var(--text); text-decoration: underline; }
th button:focus-visible { outline-offset: -1px; }
th[aria-sort] button { color: var(--text); font-weight: 600; }
th[aria-sort="ascending"] button::after { content: " ↑" / ""; }
th[aria-sort="descending"] button::after { content: " ↓" / ""; }
.bar-cell { width: 45%; padding-left: 4px; vertical-align: middle; }
.bar-cell svg { display: block; }
details { margin-top: 8px; font-size: 13px; }
summary { color: var(--quiet); cursor: pointer; width: max-content; }

@media (max-width: 820px) {
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .panes { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 520px) {
  main { padding: 12px 12px 48px; }
  .bar { padding: 8px 12px; }
  h1 { font-size: 19px; line-height: 26px; }
  .tiles { gap: 8px; }
  .tile { padding: 10px 12px; }
  .tile dd { font-size: 18px; line-height: 24px; }
  .pane > .readout { min-height: 40px; }
  .pane.map > .readout { min-height: 80px; }
  .bar-cell { width: 30%; }
}
@media print {
  .bar select, .skip { display: none; }
  .pane, .tile { break-inside: avoid; }
  .scroller { max-height: none; overflow: visible; }
}
`;
