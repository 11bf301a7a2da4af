import { describe, expect, it } from 'vitest';
import { rowOf, stateIn } from '../../../src/node/kinds.ts';
import { decode, encode } from '../../../src/store/codec.ts';
import { addLock, openChannel } from '../../support/channel-makers.ts';
import { CHANNEL } from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';

/** What the first version of a channel did not have. */
const NEW_FIELDS = ['withdraw', 'requests', 'consents', 'consentHorizon'];

function without(names: readonly string[], value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** The row of this channel as the first version wrote it, in the given state. */
function firstVersion(state: unknown) {
  const { context } = openChannel().tell(addLock(), command.deposit(150n)).snapshot;
  const old = {
    ...without(NEW_FIELDS, context),
    ownEnd: without(['withdraws'], context.ownEnd),
    partnerEnd: without(['withdraws'], context.partnerEnd),
  };
  const row = { id: CHANNEL, kind: 'channel', version: 1 };
  return { row: { ...row, state: encode({ value: state, context: old }) }, context };
}

describe('a channel that the first version stored', () => {
  it.each([
    [{ opened: 'idle' }, { opened: { deposit: 'idle', withdraw: 'idle' } }],
    [{ opened: 'depositing' }, { opened: { deposit: 'depositing', withdraw: 'idle' } }],
    ['stale', 'stale'],
    [{ closing: 'sound' }, { closing: 'sound' }],
    ['closed', 'closed'],
    ['claiming', 'claiming'],
  ])('goes on from %j', (before, after) => {
    const { row, context } = firstVersion(before);
    expect(stateIn(row)).toEqual({ value: after, context });
  });

  it('is stored in the new form from then on', () => {
    const { row } = firstVersion({ opened: 'idle' });
    const again = rowOf(CHANNEL, stateIn(row));
    expect(again.version).toBe(2);
    expect(decode(again.state)).toEqual(stateIn(row));
  });

  it('is refused when it is not what that version wrote', () => {
    const { row } = firstVersion({ opened: 'idle' });
    expect(() => stateIn({ ...row, version: 0 })).toThrow('another version');
    const { context } = firstVersion('closed');
    const broken = encode({ value: 'closed', context: { ...context, ownEnd: 'gone' } });
    expect(() => stateIn({ ...row, state: broken })).toThrow();
  });
});
