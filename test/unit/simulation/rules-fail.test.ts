/** Rules that no planted defect breaks: each is fed a history that does, and the same without the mistake. */
import { expect, it } from 'vitest';
import type { Hash } from '../../../src/basics/hex.ts';
import type { Update } from '../../../src/protocol/messages/update.ts';
import { createReading } from '../../../src/simulation/invariants/chain/reading.ts';
import { createTransactionRule } from '../../../src/simulation/invariants/chain/transactions.ts';
import { createRepeatRule } from '../../../src/simulation/invariants/messages/repeats.ts';
import { createSeals } from '../../../src/simulation/invariants/messages/seals.ts';
import { createWitness } from '../../../src/simulation/invariants/messages/witness.ts';
import { createSignedSteps } from '../../../src/simulation/invariants/money/signed-steps.ts';
import { createStakeCheck } from '../../../src/simulation/invariants/money/stakes.ts';
import { hashOf, OWN, PARTNER } from '../../support/makers.ts';
import { blockOf, broken, honest, locked, receipt, WHO } from '../../support/rules.ts';

const OTHER = 'node-1';

it('a node that has read no block for long stays behind', () => {
  const end = (head: bigint) =>
    broken(() =>
      createReading({
        confirmations: 1n,
        firstBlock: 10n,
        head: () => head,
        machine: () => honest,
        machines: () => [honest],
        blockHash: () => null,
        channel: () => null,
        channelLogs: () => [],
      }).end?.(),
    );
  expect([end(16n), end(17n)]).toEqual([null, 21]);
});

it('a payload that everybody can read is found, by its words or by a stranger who opens it', () => {
  const send = (text: string, isOpen: boolean) =>
    broken(() => createSeals(() => isOpen).sends?.(WHO, PARTNER, Buffer.from(text), []));
  expect([send('0101', false), send('{"type":', false), send('0101', true)]).toEqual([
    null,
    31,
    31,
  ]);
});

it('a payload that its recipient cannot read is found', () => {
  const ledger = {
    hasSaid: () => true,
    isInitiator: () => false,
    isReturned: () => false,
    ownExpiration: () => null,
  };
  const rule = createWitness({ ledger, onSecret() {} });
  const said = { type: 'Processed' as const, messageId: 1n };
  const send = (messages: Parameters<NonNullable<typeof rule.sends>>[3]) =>
    broken(() => rule.sends?.(WHO, PARTNER, new Uint8Array(), messages));
  expect([send([said]), send([])]).toEqual([null, 31]);
});

it('a node that repeats hundreds of steps to whoever says nothing is found', () => {
  const rule = createRepeatRule(() => 1n);
  const step: Update = {
    ...{ type: 'Update', chainId: 1n, tokenNetwork: PARTNER, channelId: 1n, messageId: 5n },
    ...{ nonce: 1n, transferredAmount: 0n, lockedAmount: 0n, locksroot: locked().locksroot },
    changes: [],
  };
  const repeat = (times: number) =>
    broken(() => {
      for (let n = 0; n < times; n++) rule.says?.(WHO, PARTNER, step);
    });
  expect(repeat(321)).toBeNull();
  rule.hears?.(WHO, PARTNER, step);
  expect([repeat(320), repeat(1)]).toEqual([null, 32]);
});

it('a step that its honest partner never signed is found, as is a second one with its nonce', () => {
  const steps = createSignedSteps({ honestPartner: () => OTHER });
  const take = (balanceHash: Hash) =>
    broken(() => steps.checkTaken(WHO, locked({ side: 'partner', balanceHash })));
  steps.note(OTHER, locked({ balanceHash: hashOf(1) }));
  expect([take(hashOf(1)), take(hashOf(2))]).toEqual([null, 14]);
  expect(broken(() => steps.note(OTHER, locked({ balanceHash: hashOf(2) })))).toBe(10);
});

it('a step above what is there is found, and another one with a nonce that was taken', () => {
  const stakes = createStakeCheck({ stakesOf: () => ({ own: 10n, partner: 4n }) });
  const step = (amount: bigint, parts: object) =>
    broken(() => stakes.step(WHO, locked({ amount, ...parts })));
  expect([step(10n, { nonce: 1n }), step(11n, { nonce: 2n })]).toEqual([null, 2]);
  const taken = (balanceHash: Hash) => step(4n, { side: 'partner', balanceHash });
  expect([taken(hashOf(1)), taken(hashOf(1)), taken(hashOf(2))]).toEqual([null, null, 11]);
});

it('who pays for a call that fails is blamed, unless somebody else made it in the block of the sending', () => {
  const call = { data: '0x01', arrivedBlock: 5n } as const;
  const sentAfter = (madeBlock: bigint) => {
    const rule = createTransactionRule({
      blockHash: () => null,
      honest: (address) => (address === OWN ? honest : null),
      isExcused: () => false,
      nameOf: () => 'unlock',
      wouldSucceed: () => false,
      couldNotKnow: () => false,
    });
    const others = receipt(1n, { ...call, from: PARTNER });
    rule.block?.({ ...blockOf(madeBlock), receipts: [others] });
    const own = receipt(1n, call);
    const receipts = [{ ...own, run: { ...own.run, isSuccess: false } }];
    return broken(() => rule.block?.({ ...blockOf(6n), receipts }));
  };
  expect([sentAfter(4n), sentAfter(5n)]).toEqual([26, null]);
});
