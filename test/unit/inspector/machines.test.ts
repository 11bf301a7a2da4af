import { beforeAll, describe, expect, it } from 'vitest';
import type { InspectorAnswer } from '../../../src/inspector/base/route.ts';
import {
  machineDefinition,
  machineDefinitions,
} from '../../../src/inspector/charts/definitions.ts';
import { machinesRoute } from '../../../src/inspector/charts/machines-route.ts';
import { chartMermaid } from '../../../src/inspector/charts/mermaid.ts';
import { litStates } from '../../../src/inspector/charts/states.ts';
import type { EdgeDefinition, StateDefinition } from '../../../src/inspector/wire.ts';
import { decode } from '../../../src/store/base/codec.ts';

const route = machinesRoute();
/** The answer to GET /inspector/machines… */
async function ask(path: string): Promise<InspectorAnswer | null> {
  const { pathname, searchParams } = new URL(`http://node/machines${path}`);
  return route({ path: pathname.slice(1).split('/'), query: searchParams });
}
async function bodyOf(path: string): Promise<string> {
  const answer = await ask(path);
  if (!answer?.ok) throw new Error(`no answer to ${path}`);
  return String(answer.body);
}
const edgesOf = (state: StateDefinition): EdgeDefinition[] => [
  ...state.edges,
  ...state.states.flatMap(edgesOf),
];

describe('the endpoint of the machines', () => {
  it('tells all of them, and each alone', async () => {
    expect(decode(await bodyOf(''))).toEqual({ machines: machineDefinitions() });
    for (const path of ['/channel', '/channel.json'])
      expect(decode(await bodyOf(path))).toEqual(machineDefinition('channel'));
  });

  it('knows no other machine, and nothing below one', async () => {
    expect(await ask('/lamp')).toMatchObject({ ok: false, status: 404 });
    expect(await ask('/lamp.svg')).toMatchObject({ ok: false, status: 404 });
    expect(await ask('/channel/states')).toBeNull();
  });
});

/** What a line of our Mermaid text may be; `state X as y {` opens a box that `}` closes. */
const ID = '[A-Za-z][A-Za-z_]*';
const LINES = [
  /^%% .+$/,
  /^--$/,
  /^\}$/,
  new RegExp(`^state "[A-Za-z]+" as ${ID}( \\{)?$`),
  new RegExp(`^${ID} : [^:;#{}"\\n]+$`),
  new RegExp(`^(\\[\\*\\]|${ID}) --> (\\[\\*\\]|${ID})( : [^:;#{}"\\n]+)?$`),
];

describe.each(machineDefinitions())('the Mermaid text of $machine', (definition) => {
  const [head, ...lines] = chartMermaid(definition).trimEnd().split('\n');

  it('is a state diagram of which every line follows the grammar', () => {
    expect(head).toBe('stateDiagram-v2');
    const wrong = lines
      .map((line) => line.trim())
      .filter((line) => !LINES.some((one) => one.test(line)));
    expect(wrong).toEqual([]);
    const depth = (text: string) => lines.filter((line) => line.endsWith(text)).length;
    expect(depth('{')).toBe(lines.filter((line) => line.trim() === '}').length);
  });

  it('names only states that it declares, and leads no edge into another box', () => {
    const boxes: string[] = ['chart'];
    const boxOf = new Map<string, string>();
    const ways: { ends: string[]; box: string }[] = [];
    for (const line of lines.map((text) => text.trim())) {
      const box = boxes.at(-1) ?? '';
      const declared = /^state "\w+" as (\w+)( \{)?$/.exec(line);
      if (declared?.[1] !== undefined) boxOf.set(declared[1], box);
      if (declared?.[2] !== undefined) boxes.push(declared[1] ?? '');
      if (line === '}') boxes.pop();
      const way = /^(\S+) --> (\S+)/.exec(line);
      if (way !== null) ways.push({ ends: way.slice(1), box });
    }
    const wrong = ways.filter(({ ends, box }) =>
      ends.some((end) => end !== '[*]' && boxOf.get(end) !== box),
    );
    expect(wrong).toEqual([]);
  });

  it('says what every edge waits for, asks and does', () => {
    const text = lines.join('\n');
    for (const { event, guards, actions } of edgesOf(definition.root))
      for (const word of [event, ...guards, ...actions]) expect(text).toContain(word);
  });
});

describe('the state that is lit', () => {
  const channel = machineDefinition('channel');

  it('comes with all that it is in, in every region', () => {
    const lit = litStates(channel.root, 'opened.deposit.idle+withdraw.pending.asking');
    expect([...(lit ?? [])].toSorted()).toEqual(
      [
        '',
        'opened',
        'opened.deposit',
        'opened.deposit.idle',
        'opened.withdraw',
        'opened.withdraw.pending',
        'opened.withdraw.pending.asking',
      ].toSorted(),
    );
    const mediator = litStates(
      machineDefinition('mediator').root,
      'payer.unpaid.closed+payee.pending',
    );
    expect(mediator).toEqual(
      new Set(['', 'payer', 'payer.unpaid', 'payer.unpaid.closed', 'payee', 'payee.pending']),
    );
  });

  it('is marked in Mermaid text where it is innermost', async () => {
    const text = await bodyOf('/channel.mmd?state=opened.deposit.idle%2Bwithdraw.idle');
    const marks = text.split('\n').filter((line) => line.includes('class'));
    expect(marks.map((line) => line.trim())).toEqual([
      'classDef now stroke-width:4px,font-weight:bold',
      'class opened_deposit_idle,opened_withdraw_idle now',
    ]);
    expect(await bodyOf('/channel.mmd')).not.toContain('class');
    expect(await ask('/channel.mmd?state=nowhere')).toMatchObject({ ok: false, status: 400 });
  });

  it('must be one of the machine', () => {
    for (const text of ['nowhere', 'opened.nothing', 'opened.deposit.idle+nothing', 'idle'])
      expect(litStates(channel.root, text), text).toBeNull();
  });
});

describe('the SVG of a machine', () => {
  let plain = '';
  let lit = '';
  beforeAll(async () => {
    [plain, lit] = await Promise.all([bodyOf('/target.svg'), bodyOf('/target.svg?state=revealed')]);
  }, 60_000);

  it('is a picture with a title and a description, in light and dark', () => {
    expect(plain).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+"/);
    expect(plain).toContain('<title id="title">State chart of target</title>');
    expect(plain).toContain(machineDefinition('target').description);
    expect(plain).toContain('@media (prefers-color-scheme:dark)');
  });

  it('is closed where it is opened, and holds nothing foreign and no script', () => {
    const open: string[] = [];
    for (const [, slash, name = '', own] of plain.matchAll(/<(\/?)([a-z]+)(?:[^<>]*?)(\/?)>/gi)) {
      if (slash === '/') expect(open.pop()).toBe(name);
      else if (own !== '/') open.push(name);
    }
    expect(open).toEqual([]);
    expect(plain).not.toMatch(/<script|href|url\((?!#)|@import| on[a-z]+=/);
    expect(plain.match(/https?:/g)).toEqual(['http:']);
  });

  it('lights the state that is asked for and says which it is', () => {
    expect(plain).not.toContain(' lit"');
    expect(lit.match(/class="[^"]* lit"/g)).toHaveLength(2);
    expect(lit).toContain('Now in revealed.');
  });

  it('refuses a state that the machine does not have', async () => {
    expect(await ask('/target.svg?state=nowhere')).toMatchObject({ ok: false, status: 400 });
  });

  it('may use its own style and nothing else', async () => {
    const answer = await ask('/target.svg');
    expect(answer).toMatchObject({
      type: 'image/svg+xml; charset=utf-8',
      policy: expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; frame-ancestors 'none'$/,
      ),
    });
  });
});
