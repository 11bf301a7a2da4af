import { describe, expect, it, vi } from 'vitest';
import { isAnswer } from '../../../src/inspector/answers.ts';
import { createInspector, type InspectorOptions } from '../../../src/inspector/inspector.ts';
import type { JournalStep } from '../../../src/node/api/inspection.ts';
import { KINDS, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { decode } from '../../../src/store/base/codec.ts';
import { openChannel } from '../../support/channel-makers.ts';
import { hashOf, TOKEN } from '../../support/makers.ts';
import { fakeInspection } from './fake-inspection.ts';

const channel = openChannel().snapshot;
const namesOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `channel:0x${'c'.repeat(40)}:${n + 1}`);

function inspectorOf(
  given: Parameters<typeof fakeInspection>[0],
  options: Omit<InspectorOptions, 'inspection'> = {},
) {
  const inspector = createInspector({ inspection: fakeInspection(given), ...options });
  return async (query = '') => {
    const url = `http://node/inspector/overview?${query}&numbers=tagged`;
    const body = decode(await (await inspector.handle(new Request(url))).text());
    if (!isAnswer('overview', body)) throw new Error('no overview');
    return body;
  };
}

const stop = (seq: number, actor: string, state: string): JournalStep => ({
  ...{ seq, commit: seq, kind: 'stop', actor, cause: 'outside', causeSeq: null, event: '' },
  ...{ state, version: KINDS.initiator.version, block: 100n, time: seq },
});
const initiatorOf = (n: number) => `initiator:${hashOf(n)}`;

describe('the overview of a node', () => {
  it('is put together once for all pages that ask at the same time, and anew for who asks later', async () => {
    const ids = namesOf(200);
    const stateOf = vi.fn((id: string) => stateFrom(id, channel));
    const ask = inspectorOf({ actors: { ids: () => ids, stateOf } });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`from=${n}`)));
    expect(answers.map(({ channels }) => channels.shown[0]?.actor)).toEqual(ids.slice(0, 20));
    expect(stateOf.mock.calls.length).toBeLessThanOrEqual(2 * ids.length);
    const before = stateOf.mock.calls.length;
    await ask();
    expect(stateOf.mock.calls.length).toBe(before + ids.length);
  });

  it('does not wait for a chain that does not answer, and calls tokens as it did before', async () => {
    const tokens = [{ address: TOKEN, symbol: 'TTA', decimals: 18 }];
    const never = new Promise<never>(() => {});
    const labels = vi.fn(async () => ({ tokens, names: [] }));
    const blockSeconds = vi.fn(async (): Promise<number | null> => 12);
    const ids = namesOf(3);
    const actors = { ids: () => ids, stateOf: (id: string) => stateFrom(id, channel) };
    const ask = inspectorOf({ actors }, { labels, blockSeconds });
    await ask();
    labels.mockImplementation(() => never);
    blockSeconds.mockImplementation(() => never);
    expect(await ask('find=tta')).toMatchObject({ blockSeconds: 12, channels: { found: 3 } });
    blockSeconds.mockImplementation(async () => null);
    await Promise.all([ask(), ask()]);
    expect(labels).toHaveBeenCalledTimes(2);
  });

  it('lists payments that ended whatever was tried for them before', async () => {
    const replaced = Array.from({ length: 30 }, (_, n) =>
      stop(n + 2, initiatorOf(n + 2), 'replaced'),
    );
    const ask = inspectorOf({ steps: [stop(1, initiatorOf(1), 'paid'), ...replaced] });
    const { payments } = await ask();
    expect(payments.shown.map(({ actor }) => actor)).toEqual([initiatorOf(1)]);
  });

  it('lists a payment once, though another was called as it is', async () => {
    const steps = [stop(1, initiatorOf(1), 'failed')];
    const given = { actors: { ids: () => [], stateOf: () => null } };
    const { journal } = fakeInspection({ steps });
    let newest = 1;
    const grown = {
      ...journal,
      bounds: () => ({ oldest: 1, newest }),
      stops: (from: number, to: number) => steps.filter(({ seq }) => seq >= from && seq <= to),
    };
    const ask = inspectorOf({ ...given, journal: grown });
    expect((await ask()).payments.shown).toMatchObject([{ state: 'failed' }]);
    steps.push(stop(2, initiatorOf(1), 'paid'));
    newest = 2;
    expect((await ask()).payments.shown).toMatchObject([{ state: 'paid' }]);
  });
});
