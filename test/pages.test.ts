/** README.md and docs/: links lead somewhere, and options, figures and commands are those of the program. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsOf } from '../src/cli/commands.ts';
import { createMetrics } from '../src/http/metrics.ts';
import { fakeNode } from './unit/http/fake-node.ts';

const top = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map((name) => join(top, name)),
  ...readdirSync(join(top, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(top, 'docs', name)),
];
const nameOf = (page: string) => relative(top, page);
const textOf = (page: string) => readFileSync(page, 'utf8');

const COMMANDS = commandsOf('');
const commandOf = (name: string) => COMMANDS.find((one) => one.name() === name) ?? new Command();

/** As GitHub makes them of headings. */
function anchorsIn(text: string): Set<string> {
  const headings = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The long options in the first column of the tables below a heading. */
function listed(page: string, heading: string): string[] {
  const [, section = ''] = textOf(page).split(`## ${heading}\n`);
  const rows = section.split('\n## ')[0]?.match(/^\| `.*?`[^|]*\|/gm) ?? [];
  return rows.flatMap((row) => row.match(/--[a-z-]+/g) ?? []);
}
function long(command: Command): string[] {
  // A command declares its options when it is called.
  command.parseOptions([]);
  return command.options.map((option) => option.long ?? '');
}
const isOption = (command: Command, name: string) =>
  [...long(command), '--help', '--version'].includes(name);

describe.each(pages.map((page) => [nameOf(page), page]))('%s', (_, page) => {
  it('has links that lead somewhere', () => {
    const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      const place = file === '' ? page : join(dirname(page), file);
      if (!existsSync(place)) return true;
      return anchor !== undefined && !anchorsIn(textOf(place)).has(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('shows commands that the program has, with options that they have', () => {
    const blocks = [...textOf(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
    const lines = blocks.flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'));
    const unknown = lines.flatMap((line) => {
      const [, rest] = /(?:^|\$\(| )sluice ([^#|>]*)/.exec(line) ?? [];
      if (rest === undefined || line.includes('sluice()')) return [];
      const words = rest.trim().split(/\s+/);
      const command = COMMANDS.find((one) => one.name() === words[0]);
      if (command === undefined) return [line];
      const inner = command.commands.find((one) => one.name() === words[1]) ?? command;
      const options = rest.match(/(?<= )--[a-z-]+/g) ?? [];
      return options.filter((name) => !isOption(inner, name)).map((name) => `${line}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});

describe.each([
  ['README.md', /^ *#|\s#\s|^\w+=|^\w+\(\)|^(until|while|for|if) |\$\{|<</m],
  ['docs/tutorial.md', /^ *#|\s#\s|^\w+=|^\w+\(\)|^(until|while|for|if) |\$\{|<</m],
  // In fish it is pasted into bash.
  ['docs/own-node.md', /^ *#|\s#\s/m],
])('%s', (name, foreign) => {
  it('has nothing to paste that zsh or fish would stumble over', () => {
    const blocks = [...textOf(join(top, name)).matchAll(/^```sh\n(.*?)^```$/gms)];
    expect(blocks.length).toBeGreaterThan(5);
    expect(blocks.map(([, text = '']) => text).filter((text) => foreign.test(text))).toEqual([]);
  });
});

describe('docs/options.md', () => {
  const page = join(top, 'docs', 'options.md');

  it.each(['node', 'devnet'])('lists every option of sluice %s, and no others', (name) => {
    const known = listed(page, `Options of \`sluice ${name}\``);
    const plain = (option: string) => option.replace(/^--no-/, '--');
    const shown = new Set(known.map(plain));
    const own = new Set(long(commandOf(name)).map(plain));
    own.delete('--config');
    expect([...shown].sort()).toEqual([...own].sort());
  });

  it('has those of sluice paywall on a page of its own', () => {
    const known = listed(
      join(top, 'docs', 'pay-per-call.md'),
      'Sell with the paywall, and nothing else',
    );
    const own = new Set(long(commandOf('paywall')));
    own.delete('--config');
    expect([...new Set(known)].sort()).toEqual([...own].sort());
  });
});

it('docs/metrics.md lists every figure with its meaning, and no others', async () => {
  const text = await createMetrics().page(fakeNode(), { waiting: () => 0 });
  const known = [...text.matchAll(/^# HELP (pcn_\S+) (.*)$/gm)].map(([, name, help]) => [
    name,
    help,
  ]);
  const rows = [
    ...textOf(join(top, 'docs', 'metrics.md')).matchAll(/^\| `(pcn_\w+)` +\| \w+ +\| (.*?) +\|$/gm),
  ];
  expect(rows.map(([, name, help]) => [name, help])).toEqual(known);
});
