/** The defects that simulations are to find: each fits the node's source, and each class has one. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type * as MediatorPayer from '../../machines/mediator/payer.ts';
import type * as Expiration from '../../src/protocol/channel/expiration.ts';
import { at, EXPIRATION, REVEAL_TIMEOUT } from '../support/makers.ts';
import { mediator } from '../support/mediation-makers.ts';
import { revealSecret } from '../support/payment-makers.ts';
import { NOT_APPLICABLE, PLANTED } from './planted/list.ts';
import { assertParses, importWith } from './planted/loader.ts';
import { classOf, type PlantedBug } from './planted/patch.ts';
import { TRAITS } from './planted/traits.ts';

type ExpirationModule = typeof Expiration;
const FILE = 'src/protocol/channel/expiration.ts';
const IMPATIENT: PlantedBug = {
  id: 'R1',
  title: 'Whoever has one block too few waits on.',
  edits: [
    {
      file: FILE,
      text: 'return nowBlock < dangerBlock(expiration, revealTimeout);',
      replacement: 'return nowBlock <= dangerBlock(expiration, revealTimeout);',
    },
  ],
  expected: 'margin',
  needs: [],
  noticedBy: null,
};
const withText = (text: string): PlantedBug => ({
  ...IMPATIENT,
  edits: [{ file: FILE, text, replacement: '' }],
});

describe('a module', () => {
  it('behaves differently with a defect in it, and correctly without', async () => {
    const wrong = await importWith<ExpirationModule>(IMPATIENT, FILE);
    const right = await importWith<ExpirationModule>(null, FILE);
    expect(wrong.isSafeToWait(30n, 10n, 20n)).toBe(true);
    expect(right.isSafeToWait(30n, 10n, 20n)).toBe(false);
  });

  it('has the defects of the modules that it imports', async () => {
    const isSafeIn = async (bug: PlantedBug | null) => {
      const payer = await importWith<typeof MediatorPayer>(bug, 'machines/mediator/payer.ts');
      const shown = at(EXPIRATION - REVEAL_TIMEOUT, revealSecret());
      return payer.guards.isPayable({ context: mediator().snapshot.context, event: shown });
    };
    expect(await isSafeIn(IMPATIENT)).toBe(true);
    expect(await isSafeIn(null)).toBe(false);
  });

  it('is loaded once as it stands, and anew with each defect', async () => {
    const load = (bug: PlantedBug | null) => importWith<ExpirationModule>(bug, FILE);
    expect(await load(null)).toBe(await load(null));
    expect(await load(IMPATIENT)).not.toBe(await load(IMPATIENT));
  });

  it('may be the whole node', async () => {
    const module = await importWith<{ startNode: unknown }>(IMPATIENT, 'src/node/start.ts');
    expect(module.startNode).toBeTypeOf('function');
  });

  it.each([
    [0, 'what no file says'],
    [0, ''],
    [2, 'nowBlock: bigint'],
  ])('is not loaded when the text to be changed occurs %d times', async (times, text) => {
    const loading = importWith(withText(text), FILE);
    const reason = `R1 does not fit: ${FILE} holds this text ${times} times:\n${text}`;
    await expect(loading).rejects.toThrow(reason);
  });

  it('is not loaded when it does not import the file to be changed', async () => {
    const loading = importWith(IMPATIENT, 'src/basics/amount.ts');
    await expect(loading).rejects.toThrow(`does not load ${FILE}`);
  });
});

describe('the planted defects', () => {
  it('have names of their own', () => {
    const ids = PLANTED.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(ids.filter((id) => !/^R\d+[a-z]?$/.test(id))).toEqual([]);
  });

  it('cover each class of the regression list but those that a simulation cannot meet', () => {
    const all = Array.from({ length: 87 }, (_, index) => `R${index + 1}`);
    const planted = new Set(PLANTED.map(classOf));
    const inNeither = all.filter((one) => !planted.has(one) && !(one in NOT_APPLICABLE));
    const inBoth = Object.keys(NOT_APPLICABLE).filter((one) => planted.has(one));
    expect({ inNeither, inBoth }).toEqual({ inNeither: [], inBoth: [] });
    expect(planted.size).toBeGreaterThanOrEqual(55);
    expect([...planted].filter((one) => !all.includes(one))).toEqual([]);
  });

  it.each(PLANTED.map((bug) => [bug.id, bug] as const))('%s fits and parses', async (_, bug) => {
    expect(bug.edits.length).toBeGreaterThan(0);
    expect(bug.expected.length).toBeGreaterThan(0);
    await assertParses(bug);
  });

  it('need every trait that a scenario can bring', () => {
    const needed = new Set<string>(PLANTED.flatMap(({ needs }) => needs));
    expect(Object.keys(TRAITS).filter((trait) => !needed.has(trait))).toEqual([]);
  });

  it('name test files that exist', () => {
    const files = PLANTED.flatMap(({ noticedBy }) => noticedBy ?? []);
    const path = (file: string) => new URL(`../${file}`, import.meta.url);
    expect(files.filter((file) => !existsSync(path(file)))).toEqual([]);
  });
});
