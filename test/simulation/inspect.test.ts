/** A simulation that is opened with the inspector: the built program, in a process of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAnswer } from '../../src/inspector/answers.ts';
import type { TimeCommand, TimeView } from '../../src/inspector/devnet-wire.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { decode } from '../../src/store/base/codec.ts';
import { callProgram, endPrograms, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const SHORT = `version: 1
title: Three in a line
description: The first pays the last, over the one in the middle.
seed: 5
network: { topology: { kind: line, nodes: 3 } }
steps:
  - { do: pay, at_block: 1, node: 0, to: 2, amount: 3 tokens, expect: success }
run: { blocks: 12, calm: 4 }
`;
const HOPELESS = `${SHORT.replace('3 tokens', '100000 tokens')}`;

const folder = mkdtempSync(join(tmpdir(), 'sluice-inspect-'));
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
const short = file('short.yaml', SHORT);
const dying = file(
  'dying.yaml',
  `${SHORT.replace(/steps:\n.*\n/, '')}faults: [{ kind: kill, nodes: "1", when: { at_block: 1, blocks: 2 } }]\n`,
);
const hopeless = file('hopeless.yaml', HOPELESS);

afterAll(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
});

async function open(...args: string[]) {
  const program = startProgram(['simulate', ...args]);
  const [base = ''] = await program.says(/^http:\/\/127\.0\.0\.1:\d+\/inspector\/$/m);
  async function view(): Promise<TimeView> {
    const answer: unknown = await (await fetch(`${base}time`)).json();
    if (!isAnswer('time', answer)) throw new Error(JSON.stringify(answer));
    return answer;
  }
  const arrive = () =>
    until(async () => (await view()).state !== 'seeking', 'it has arrived', 60_000);
  await arrive();
  return {
    program,
    base,
    view,
    async move(command: TimeCommand): Promise<TimeView> {
      const moved = await fetch(`${base}time`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(command),
      });
      expect(moved.status).toBe(200);
      await arrive();
      return view();
    },
    /** Of all actors of the node, by their ids. */
    async states(name: string): Promise<Record<string, string>> {
      const answer = decode(
        await (await fetch(`${base}nodes/${name}/actors?numbers=tagged`)).text(),
      );
      if (typeof answer !== 'object' || answer === null || !('actors' in answer)) return {};
      const { actors } = answer;
      if (!Array.isArray(actors)) return {};
      return Object.fromEntries(actors.map(({ actor, state }) => [actor, state]));
    },
  };
}

async function traceOf(text: string): Promise<string> {
  const parsed = parseScenario(text, 'short');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const { trace } = await simulate({ scenario: parsed.scenario, seed: parsed.scenario.seed });
  return trace;
}

type Opened = Awaited<ReturnType<typeof open>>;

/** One run, from its first block to its end. */
describe('a simulation under the inspector', () => {
  let run: Opened;
  beforeAll(async () => {
    run = await open(short, '--inspect');
  });

  it('is paused at its first block, with its nodes and their channels on the page', async () => {
    const { base, view, states } = run;
    expect(await view()).toMatchObject({ state: 'paused', block: 0, blocks: 12, canGoBack: false });
    expect((await fetch(base)).headers.get('content-type')).toMatch('text/html');
    expect(await (await fetch(`${base}nodes`)).json()).toMatchObject({
      hasTime: true,
      nodes: [{ name: 'node-0', base: 'nodes/node-0/' }, {}, {}],
      tokens: [{ symbol: 'TOK', decimals: 18 }],
    });
    const ids = Object.keys(await states('node-1'));
    expect(ids.filter((id) => id.startsWith('channel:'))).toHaveLength(2);
  });

  it('refuses unknown commands, and all commands of a page from elsewhere', async () => {
    const post = (body: string, headers: Record<string, string>) =>
      fetch(`${run.base}time`, { method: 'POST', body, headers }).then(({ status }) => status);
    const json = { 'content-type': 'application/json' };
    expect(await post('{"do":"leap"}', json)).toBe(400);
    expect(await post('{"do":"play","blocksPerSecond":-1}', json)).toBe(400);
    expect(await post('{"do":"step"}', { 'content-type': 'text/plain' })).toBe(415);
    expect(await post('{"do":"step"}', { ...json, origin: 'https://evil.example' })).toBe(403);
  });

  it('goes back to an earlier step, and from there to the same later step again', async () => {
    const { move, states } = run;
    const { block } = await move({ do: 'block' });
    const before = await move({ do: 'step' });
    const seen = await states('node-1');
    const after = await move({ do: 'step' });
    const back = await move({ do: 'step_back' });
    expect(back).toMatchObject({ step: before.step, trace: before.trace, epoch: 2 });
    expect(await states('node-1')).toEqual(seen);
    expect(await move({ do: 'step' })).toMatchObject({ step: after.step, trace: after.trace });
    const start = await move({ do: 'block_back' });
    expect(start.block).toBe(block);
    expect(start.step).toBeLessThan(before.step);
  });

  it('moves on by one event or one block, and shows the new states of the nodes', async () => {
    const { move, states } = run;
    const first = await move({ do: 'step' });
    const second = await move({ do: 'step' });
    expect(second.step).toBeGreaterThan(first.step);
    const paying = async () =>
      Object.keys(await states('node-0')).filter((id) => id.startsWith('initiator:'));
    while ((await paying()).length === 0) await move({ do: 'step' });
    expect(await move({ do: 'block' })).toMatchObject({ state: 'paused', block: 2, payments: 1 });
    expect(await paying()).toEqual([]);
  });

  it('ends as it does without the inspector', async () => {
    const { move, view } = run;
    await move({ do: 'play', blocksPerSecond: 1_000 });
    await until(async () => (await view()).state === 'over', 'the run is over');
    const { trace, said } = await view();
    expect(trace).toBe(await traceOf(SHORT));
    expect(said).toMatch(/^passed: /);
  });
});

describe('a simulated death under the inspector', () => {
  let run: Opened;

  it('is named, and the node is shown as it was', async () => {
    run = await open(dying, '--inspect');
    const { move, states } = run;
    const before = await states('node-1');
    await move({ do: 'block' });
    expect(await move({ do: 'block' })).toMatchObject({ block: 2, down: ['node-1'] });
    expect(Object.keys(await states('node-1'))).toEqual(Object.keys(before));
    await move({ do: 'block' });
    expect(await move({ do: 'block' })).toMatchObject({ block: 4, down: [] });
  });

  it('ends at once with Ctrl-C', async () => {
    run.program.signal('SIGINT');
    expect(await run.program.ended).toBe(0);
  });
});

describe('sluice simulate --inspect', () => {
  it('begins before the moment in which a run failed, with the line that the run has printed', async () => {
    const failed = startProgram(['simulate', hopeless]);
    expect(await failed.ended).toBe(1);
    const line = /^see the moment before it: sluice simulate (.*)$/m.exec(failed.stdout());
    const words = line?.[1]?.split(' ') ?? [];
    expect(words.slice(0, 4)).toEqual([hopeless, '--seed', '5', '--inspect']);
    const { view, move } = await open(...words);
    expect((await view()).step).toBe(Number(words.at(-1)));
    expect(await move({ do: 'block' })).toMatchObject({ state: 'over', said: /^failed: / });
  });

  it('shows one run, and refuses options for many runs or for reports', async () => {
    for (const others of [['--seeds', '1..2'], ['--json'], ['--out', folder]])
      expect(await callProgram(['simulate', short, '--inspect', ...others])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching('--inspect shows one run'),
      });
  });
});
