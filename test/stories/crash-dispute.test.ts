/**
 * Deaths of a payee that comes online after its silent payer has closed, with a lock pending whose secret it
 * knows: it brings its balance proof, registers the secret, settles and unlocks, each once.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAULT_POINTS } from '../../src/basics/fault.ts';
import { type MortalPair, startMortalPair } from '../support/mortal-pair.ts';
import { good, startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const SETTLE_TIMEOUT = 40n;
/** Those that this payee meets: nobody asks it anything, and none of its transactions takes long. */
const POINTS = FAULT_POINTS.filter((point) =>
  ['commit', 'job', 'transaction'].includes(point.split('.')[0] ?? ''),
).filter((point) => !['commit.written', 'transaction.replaced'].includes(point));

let network: VirtualNetwork;
let pair: MortalPair;

/** Ten paid, five locked with a secret that bob knows, and alice has closed; both are gone. */
beforeEach(async () => {
  network = startVirtualNetwork();
  pair = await startMortalPair(network, 1_000n);
  await pair.open();
  const { alice, bob } = pair.nodes;
  good(await pair.pay('alice', 10n));
  await until(pair.isQuiet, 'the payment is over');
  alice.dieAt('receive.before', 2);
  void pair.pay('alice', 5n);
  await until(alice.isOver, 'alice dies');
  bob.kill();
  await alice.start();
  await pair.close('alice');
  alice.kill();
});
afterEach(() => network?.stop());

/**
 * Starts bob again and again, each time to die one meeting later; tells how often he died. The chain only moves while
 * he is up: what matters here is what he does again, not whether a deadline has passed.
 */
async function liveAndDieAt(point: string, isDone: () => boolean): Promise<number> {
  const { bob } = pair.nodes;
  for (let deaths = 0; ; deaths++) {
    bob.launch();
    bob.dieAt(point, deaths + 1);
    const isOver = until(() => bob.isOver() || isDone(), `bob is done or dies at ${point}`);
    await network.whileMining(isOver);
    bob.spare();
    if (!bob.isOver()) return deaths;
  }
}

const isClaimed = () => {
  const { channels, jobs } = pair.nodes.bob.ledger();
  return jobs === 0 && channels.every(({ value }) => value === 'closed');
};
const isGone = () => {
  const { channels, jobs } = pair.nodes.bob.ledger();
  return jobs + channels.length === 0;
};

describe('a payee', () => {
  it.each(POINTS)(
    'gets what it is owed, once, though it dies at %s over and over',
    async (point) => {
      const { alice, bob } = pair.nodes;
      const before = (await pair.events()).length;
      const sent = () => network.chain.client.getTransactionCount({ address: bob.address });
      const sentBefore = await sent();
      expect(await liveAndDieAt(point, isClaimed)).toBeGreaterThan(0);
      expect(await pair.secrets()).toHaveLength(1);
      bob.kill();
      await network.mine(SETTLE_TIMEOUT);
      expect(await liveAndDieAt(point, isGone)).toBeGreaterThan(0);
      expect((await pair.events()).slice(before)).toMatchObject([
        { eventName: 'NonClosingBalanceProofUpdated' },
        { eventName: 'ChannelSettled' },
        { eventName: 'ChannelUnlocked', args: { unlockedAmount: 5n, returnedTokens: 0n } },
      ]);
      // Update, secret, settlement, unlock.
      expect(await sent()).toBe(sentBefore + 4);
      await alice.start();
      await pair.settle('alice');
      await pair.expectTokens();
    },
  );
});
