import { describe, expect, it } from 'vitest';
import { rowOf, stateIn } from '../../../src/node/runtime/kinds.ts';
import { routesMetadata } from '../../../src/protocol/metadata.ts';
import { decode, encode } from '../../../src/store/codec.ts';
import { AT_REST, addLock, openChannel } from '../../support/channel-makers.ts';
import { keeper } from '../../support/keeper-makers.ts';
import { CHANNEL, hashOf, OWN, PARTNER } from '../../support/makers.ts';
import {
  channelClosed,
  command,
  forInitiator,
  initiator,
  type PlayedInitiator,
} from '../../support/payment-makers.ts';

/** What the first version of a channel did not have. */
const NEW_FIELDS = ['withdraw', 'requests', 'consents', 'consentHorizon', 'forwarded'];

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

/**
 * The row of a channel as the second version wrote it: the partner has locks that expire in these blocks, the secrets
 * of which are on chain, and one that expires in block 3, the secret of which is not.
 */
function owed(value: unknown, blocks: readonly bigint[], wakeBlock: bigint | null) {
  const { context } = openChannel().snapshot;
  const lock = (expiration: bigint) => {
    return { amount: 1n, expiration, secrethash: hashOf(Number(expiration)) };
  };
  const registered = blocks.map((block) => lock(block).secrethash);
  const partnerEnd = { ...context.partnerEnd, locks: [3n, ...blocks].map(lock) };
  const old = { ...without(['forwarded'], context), partnerEnd, registered, wakeBlock };
  const state = encode({ value, context: old });
  return { id: CHANNEL, kind: 'channel', version: 2, state };
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
    expect(stateIn(row)).toEqual({ kind: 'channel', value: after, context });
  });

  it('is stored in the new form from then on', () => {
    const { row } = firstVersion({ opened: 'idle' });
    const again = rowOf(CHANNEL, stateIn(row));
    expect(again.version).toBe(4);
    const { value, context } = stateIn(row);
    expect(decode(again.state)).toEqual({ value, context });
  });

  it('has no payer on record for what the second version passed on', () => {
    const { context } = openChannel().tell(addLock()).snapshot;
    const state = { value: AT_REST, context: without(['forwarded'], context) };
    const row = { id: CHANNEL, kind: 'channel', version: 2, state: encode(state) };
    expect(stateIn(row)).toEqual({ kind: 'channel', value: AT_REST, context });
  });

  it.each([
    ['what the partner owes it first', [7n, 5n, 6n], null, 5n],
    ['what it waited for before, when that is sooner', [7n, 5n, 6n], 4n, 4n],
    ['nothing, when no secret is on chain', [], null, null],
  ])('wakes for %s, as the second version did not', (_, blocks, wakeBlock, expected) => {
    expect(stateIn(owed(AT_REST, blocks, wakeBlock)).context.wakeBlock).toBe(expected);
  });

  it('does not wake for what is owed once it can claim that no more', () => {
    for (const value of ['closed', 'stale', { closing: 'sound' }])
      expect(stateIn(owed(value, [5n], null)).context.wakeBlock).toBeNull();
  });

  it('is refused when it is not what that version wrote', () => {
    const { row } = firstVersion({ opened: 'idle' });
    expect(() => stateIn({ ...row, version: 0 })).toThrow('another version');
    const { context } = firstVersion('closed');
    const broken = encode({ value: 'closed', context: { ...context, ownEnd: 'gone' } });
    expect(() => stateIn({ ...row, state: broken })).toThrow();
  });
});

describe('a payment that the first version stored', () => {
  /** What orders and contexts of that version did not have. */
  const NEW = [
    'route',
    'lockAmount',
    'requestId',
    'attempt',
    'alternatives',
    'isRefunded',
    'sealedSecret',
  ];
  const { lockAdded, secretRequest } = forInitiator;

  function stored(payment: PlayedInitiator) {
    const { value, context } = payment.snapshot;
    const metadata = routesMetadata([OWN, PARTNER]);
    const order = { ...without(NEW, context.order), metadata };
    const state = encode({ value, context: { ...without(NEW, context), order } });
    return { id: context.id, kind: 'initiator', version: 1, state };
  }

  it.each([
    ['locking', initiator()],
    ['locked', initiator().tell(lockAdded)],
    ['revealed', initiator().tell(lockAdded, secretRequest())],
    ['disputed', initiator().tell(lockAdded, channelClosed())],
  ])('goes on %s, as its only attempt', (state, payment) => {
    expect(payment.snapshot.value).toBe(state);
    const { value, context } = payment.snapshot;
    expect(stateIn(stored(payment))).toEqual({ kind: 'initiator', value, context });
  });

  it('is refused when its route cannot be read', () => {
    const { context } = initiator().snapshot;
    const order = { ...without(NEW, context.order), metadata: '{"routes":[]}' };
    const row = stored(initiator());
    const state = encode({ value: 'locked', context: { ...without(NEW, context), order } });
    expect(() => stateIn({ ...row, state })).toThrow();
  });
});

describe('a payment that the second version stored', () => {
  it('goes on without a secret in its lock', () => {
    const { value, context } = initiator().tell(forInitiator.lockAdded).snapshot;
    const order = without(['sealedSecret'], context.order);
    const state = encode({ value, context: { ...context, order } });
    const row = { id: context.id, kind: 'initiator', version: 2, state };
    expect(stateIn(row)).toEqual({ kind: 'initiator', value, context });
  });
});

describe('an actor of a kind that has had one shape only', () => {
  const held = keeper().snapshot;
  const row = rowOf(held.context.id, held);

  it('is read as it was stored', () => {
    expect(stateIn(row)).toMatchObject({ kind: 'keeper', context: held.context });
  });

  it('is refused when a later version wrote it', () => {
    expect(() => stateIn({ ...row, version: 2 })).toThrow(
      `actor ${row.id} was stored by another version of sluice (2)`,
    );
  });

  it('is refused when there is no such kind', () => {
    const id = 'stranger:1';
    expect(() => stateIn({ ...row, id })).toThrow('no machine for actor stranger:1');
  });
});
