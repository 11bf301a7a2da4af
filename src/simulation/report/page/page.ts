/** A self-contained HTML file: no network, no other file, no script than its own. */
import { createHash } from 'node:crypto';
import type { Said } from '../results/said.ts';
import { shown } from './figure.ts';
import { type Markup, markup } from './markup.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

export type Page = {
  readonly title: string;
  /** Text beside the name of the program, at the top. */
  readonly subtitle: string;
  readonly facts: readonly { readonly name: string; readonly value: Said }[];
  readonly content: readonly (Markup | null)[];
};

/** The browser uses only these two texts as script and style, whatever names and events a run contains. */
const POLICY = [
  "default-src 'none'",
  `script-src '${fingerprint(SCRIPT)}'`,
  `style-src '${fingerprint(STYLE)}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export function writePage({ title, subtitle, facts, content }: Page): string {
  const list = facts.map(
    ({ name, value }) => markup`<div><dt>${name}</dt><dd>${shown(value)}</dd></div>`,
  );
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ markup: POLICY }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${{ markup: STYLE }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><p class="brand">sluice <span>${subtitle}</span></p><dl class="facts">${list}</dl>
<select id="theme" aria-label="Colours" hidden><option value="">System theme</option><option value="light">Light</option><option value="dark">Dark</option></select></header>
<main id="content" tabindex="-1">${content}</main>
<script>${{ markup: SCRIPT }}</script>
</body>
</html>
`;
  return page.markup;
}

function fingerprint(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A heading over panels, which are beside each other where there is room. */
export function chapter(title: string, panels: readonly (Markup | null)[]): Markup | null {
  const shown = panels.filter((shownPanel) => shownPanel !== null);
  if (shown.length === 0) return null;
  return markup`<h2>${title}</h2><div class="panes">${shown}</div>`;
}
