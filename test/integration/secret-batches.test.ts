/** What must be on chain by a block gets there, however much of it there is: the real queue, jobs and contracts. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Tx } from '../../machines/effects.ts';
import type { Secret } from '../../src/basics/hex.ts';
import {
  GAS_PER_BLOCK,
  gasOfBatch,
  secretsPerBlock,
} from '../../src/chain/queue/secret-batches.ts';
import { MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import { memoryStorage } from '../support/chain.ts';
import {
  type ClaimsChain,
  newSecrets,
  type Owner,
  registration,
  startClaims,
} from '../support/claims.ts';
import { until } from '../support/until.ts';

/** Blocks that are left when an unlock is no longer waited for, at a reveal timeout of 50 and 5 confirmations. */
const BLOCKS_TO_GO = 45n;
const BLOCK_GAS = 30_000_000n;

let claims: ClaimsChain;
afterEach(() => claims?.stop());

/** Mines block after block until so many jobs have ended or the last block has come. */
async function mineUntilOver(owner: Owner, count: number, lastBlock: bigint): Promise<void> {
  const isOver = () => owner.ends.size === count || owner.failures.length > 0;
  for (;;) {
    await claims.said(isOver);
    if (isOver() || (await claims.mineBlock(owner)) > lastBlock) return;
  }
}

const due = (secrets: readonly Secret[], deadlineBlock: bigint): Tx[] =>
  secrets.map((secret) => registration(secret, deadlineBlock));
/** The one event that each job ended with. */
const endsOf = (owner: Owner) => [...owner.ends.values()].map((events) => events.at(-1));
const timesEnded = (owner: Owner) => [...owner.ends.values()].map((events) => events.length);

const secretOf = (key: string) => key.slice('secret:'.length);

/** Nothing of it is left on disk, one block later. */
async function forgotten(owner: Owner): Promise<void> {
  await claims.mineBlock(owner);
  await until(() => owner.storage.all().length === 0, 'the rows are gone');
}

describe('ten channels of 160 withheld locks each that are closed at once', () => {
  it('have every secret registered and every proof updated in time, in blocks that others fill for the most part', async () => {
    claims = await startClaims({ channels: 10, othersGas: BLOCK_GAS - GAS_PER_BLOCK });
    const deadline = (await claims.head()) + BLOCKS_TO_GO;
    const secrets = newSecrets(10 * MAX_PENDING_LOCKS);
    const txs = [...due(secrets, deadline), ...claims.updates];
    const owner = claims.begin(txs);
    await mineUntilOver(owner, txs.length, deadline + 50n);

    const registered = await claims.registered();
    const late = secrets.filter((secret) => (registered.get(secret) ?? deadline + 1n) > deadline);
    expect(late).toHaveLength(0);
    const updated = await claims.updated();
    expect(updated).toHaveLength(10);
    const firstUpdateDue = claims.updates[0]?.deadlineBlock ?? 0n;
    expect(updated.filter((block) => block > firstUpdateDue)).toEqual([]);
    // Each block takes as many as the limits on pending locks rely on; one block more holds what was already
    // under way.
    const blocks = new Set(registered.values()).size;
    expect(blocks).toBeLessThanOrEqual(Math.ceil(secrets.length / secretsPerBlock()) + 1);
    expect(new Set(timesEnded(owner))).toEqual(new Set([1]));
    expect(owner.failures).toEqual([]);
  }, 120_000);
});

describe('registrations that are due together', () => {
  it('share one transaction, and each job ends once with its block', async () => {
    claims = await startClaims({ channels: 0, othersGas: 0n });
    const deadline = (await claims.head()) + BLOCKS_TO_GO;
    const secrets = newSecrets(70);
    const owner = claims.begin(due(secrets, deadline));
    await mineUntilOver(owner, secrets.length, deadline);
    expect(await claims.sent()).toBe(1);
    const registered = await claims.registered();
    const [block] = new Set(registered.values());
    expect([...registered.keys()]).toEqual(secrets);
    expect(timesEnded(owner)).toEqual(secrets.map(() => 1));
    expect(new Set(endsOf(owner).map((end) => (end?.ok === true ? end.minedBlock : null)))).toEqual(
      new Set([block]),
    );
    await forgotten(owner);
  });

  it('all end well when somebody else registers some of the secrets first', async () => {
    claims = await startClaims({ channels: 0, othersGas: 0n });
    const deadline = (await claims.head()) + BLOCKS_TO_GO;
    const secrets = newSecrets(5);
    const owner = claims.begin(due(secrets, deadline));
    await claims.said();
    await claims.registerForeign(secrets.slice(0, 2));
    await mineUntilOver(owner, secrets.length, deadline);
    expect(await claims.sent()).toBe(1);
    expect((await claims.registered()).size).toBe(5);
    expect(endsOf(owner).map((end) => end?.ok)).toEqual(secrets.map(() => true));
    expect(timesEnded(owner)).toEqual(secrets.map(() => 1));
  });

  it.each([
    'transaction.signed',
    'transaction.saved',
    'transaction.sent',
    'transaction.replaced',
    'transaction.mined',
  ])(
    'are registered once, and each job ends once, though the process dies at %s',
    async (point) => {
      claims = await startClaims({ channels: 0, othersGas: 0n });
      const deadline = (await claims.head()) + BLOCKS_TO_GO;
      const secrets = newSecrets(30);
      const txs = due(secrets, deadline);
      const storage = memoryStorage();
      let isDead = false;
      const fault = (met: string) => {
        if (isDead || met !== point) return;
        isDead = true;
        throw new Error('killed');
      };
      const first = claims.begin(txs, { storage, fault });
      if (point === 'transaction.replaced') {
        await claims.said();
        await claims.raiseBaseFee(first);
      } else if (point === 'transaction.mined') await mineUntilOver(first, txs.length, deadline);
      await until(() => first.failures.length > 0, 'the process dies');
      expect(first.ends.size).toBe(0);

      // Registrations that were asked for meanwhile go into a transaction of their own.
      const more = newSecrets(3);
      const second = claims.begin([...txs, ...due(more, deadline)], { storage });
      await mineUntilOver(second, secrets.length + more.length, deadline);
      const registered = await claims.registered();
      expect(registered.size).toBe(33);
      for (const [key, [end]] of second.ends)
        expect(end).toMatchObject({ ok: true, minedBlock: registered.get(secretOf(key)) });
      expect(new Set(timesEnded(second))).toEqual(new Set([1]));
      expect(await claims.sent()).toBe(point === 'transaction.signed' ? 1 : 2);
      await forgotten(second);
    },
  );

  it('are sent as far as the money for gas suffices, the nearest deadline first', async () => {
    claims = await startClaims({ channels: 0, othersGas: 0n });
    const head = await claims.head();
    const [late, soon] = [newSecrets(40), newSecrets(10)];
    const owner = claims.begin([...due(late, head + 90n), ...due(soon, head + 60n)], {
      isPaused: true,
    });
    await claims.setBalance(gasOfBatch(12) * (await claims.firstPrice()));
    owner.queue.start();
    await claims.said();
    await claims.mineBlock(owner);
    const registered = [...(await claims.registered()).keys()];
    expect(registered.slice(0, 10)).toEqual(soon);
    expect(registered).toHaveLength(12);
  });

  it('whose deadline has passed are not sent, end as failed, and leave the room to others', async () => {
    claims = await startClaims({ channels: 0, othersGas: 0n });
    const head = await claims.head();
    const [past, living] = [newSecrets(500), newSecrets(100)];
    const owner = claims.begin([...due(past, head), ...due(living, head + 2n)]);
    await mineUntilOver(owner, 600, head + 10n);
    const registered = await claims.registered();
    expect([...registered.keys()]).toEqual(living);
    expect(endsOf(owner).filter((end) => end?.ok)).toHaveLength(100);
    const failed = endsOf(owner).find((end) => !end?.ok);
    expect(failed).toMatchObject({
      code: 'transaction_failed',
      detail: 'It was not mined in time.',
    });
    expect(await claims.sent()).toBe(1);
  });
});

describe('an update', () => {
  it('waits for no more registrations than were sent before it', async () => {
    claims = await startClaims({ channels: 1, othersGas: BLOCK_GAS - GAS_PER_BLOCK });
    const head = await claims.head();
    const owner = claims.begin(due(newSecrets(700), head + BLOCKS_TO_GO));
    await claims.said();
    await claims.mineBlock(owner);
    await claims.said();
    const [update] = claims.updates;
    if (update === undefined) throw new Error('no update');
    owner.submit(update);
    await mineUntilOver(owner, 701, head + BLOCKS_TO_GO);
    // Two blocks take registrations that were under way before the update; the others come after it.
    const [updated] = await claims.updated();
    expect(updated).toBeLessThanOrEqual(head + 4n);
    expect(
      [...(await claims.registered()).values()].filter((at) => at > (updated ?? 0n)).length,
    ).toBe(100);
  });

  it('raises the price of the registrations below its nonce when its deadline is near', async () => {
    claims = await startClaims({ channels: 1, othersGas: 0n });
    const [update] = claims.updates;
    if (update === undefined) throw new Error('no update');
    const head = await claims.head();
    const owner = claims.begin(due(newSecrets(5), head + 500n));
    await claims.said();
    owner.submit({ ...update, deadlineBlock: head + 12n });
    await claims.said();
    expect(await claims.pending()).toBe(2);
    // The base fee outruns what both offer, again and again.
    for (let block = 0; block < 4; block++) await claims.raiseBaseFee(owner);
    await mineUntilOver(owner, 6, head + 12n);
    expect(await claims.updated()).toHaveLength(1);
    expect((await claims.updated())[0]).toBeLessThanOrEqual(head + 12n);
    expect(await claims.sent()).toBe(2);
  });
});

describe('a transaction whose jobs came too late', () => {
  it('is looked after until it is mined, because the nonces above wait for it', async () => {
    claims = await startClaims({ channels: 1, othersGas: 0n });
    const [update] = claims.updates;
    if (update === undefined) throw new Error('no update');
    const head = await claims.head();
    // The endpoint accepts the transaction, but never passes it to the chain.
    claims.proxy.setRule((call, forward) =>
      call.method === 'eth_sendRawTransaction'
        ? Promise.resolve({ result: `0x${'00'.repeat(32)}` })
        : forward(),
    );
    const owner = claims.begin(due(newSecrets(3), head + 3n));
    await mineUntilOver(owner, 3, head + 10n);
    expect(endsOf(owner).map((end) => end?.ok)).toEqual([false, false, false]);
    expect(owner.storage.all()).toHaveLength(1);
    claims.proxy.setRule(null);
    owner.submit(update);
    await mineUntilOver(owner, 4, head + 20n);
    expect(await claims.updated()).toHaveLength(1);
    await forgotten(owner);
  });
});
