/** Strangers make a mediator send what nobody needs, while a payer withholds what it owes: what is promised stays paid for. */
import { describe, expect, it } from 'vitest';
import { anvilCall } from '../support/chain.ts';
import { isRegistered } from '../support/cheating.ts';
import { GWEI, SHORT, type Stranger, type Token, USUAL } from '../support/gas-attack.ts';
import { SECRET, stealBy, stealByOldState, type Theft, WHOLE } from '../support/gas-theft.ts';
import { secretOf } from '../support/makers.ts';

const SETTLE_TIMEOUT = 20n;
/** Less than what the queue lets a settlement take. */
const BURNS = 850_000;
/** Blocks in which the secret is registered, if it can be paid for. */
const LONG = 30n;

type Junk = { burning: number; ordinary: number; given?: bigint };

/** Channels that strangers have closed, and that can be settled in two blocks. */
async function closeChannels(theft: Theft, { burning, ordinary, given = 0n }: Junk): Promise<void> {
  const { world, bob } = theft;
  const junk = await theft.createJunk(BURNS);
  const terms = { settleTimeout: SETTLE_TIMEOUT, given };
  const open = (of: Token, count: number): Stranger[] =>
    world.open(bob().ownAddress, { of, count, ...terms });
  const strangers = [...open(junk, burning), ...open(world.ordinary, ordinary)];
  await world.network.mine(3n);
  await theft.knows(2 + ordinary);
  await theft.knows(burning, junk.token);
  world.close(strangers, bob().ownAddress);
  await world.network.mine(SETTLE_TIMEOUT - 1n);
}

/** What bob has sent waits, since blocks are full of what pays better, until the price for all has trebled. */
async function outbid({ world }: Theft): Promise<void> {
  const { simulated } = world.network;
  await world.mine(4n);
  simulated.setWeather({ others: { gas: 30_000_000n, tip: GWEI } });
  await world.mine(8n);
  simulated.setWeather({ usualTip: 2n * GWEI, others: { gas: 15_000_000n, tip: GWEI } });
}

describe('a mediator whose payer withholds the unlock', () => {
  it('ends with all its tokens', async () => {
    const nothing = async () => {};
    expect(await stealBy({ timeouts: SHORT, prepare: nothing })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);

  it('ends with all its tokens, whatever strangers let it settle of a token that burns gas', async () => {
    const prepare = (theft: Theft) => closeChannels(theft, { burning: 20, ordinary: 40 });
    expect(await stealBy({ timeouts: SHORT, prepare })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);

  it('ends with all its tokens, whatever strangers let it settle of its own token', async () => {
    const prepare = (theft: Theft) => closeChannels(theft, { burning: 0, ordinary: 200 });
    expect(await stealBy({ timeouts: USUAL, prepare })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);

  it('ends with all its tokens when the payer closes, too, and strangers let it settle their channels', async () => {
    const prepare = (theft: Theft) => closeChannels(theft, { burning: 20, ordinary: 40 });
    const meanwhile = async ({ world, bob, daves }: Theft) => {
      await world.mine(USUAL.revealTimeout - 14n);
      await world.makeDearer(8n);
      const signer = world.network.signerOf('dave');
      const dave = { signer, channelId: daves, of: world.ordinary };
      world.close([dave], bob().ownAddress);
    };
    expect(await stealBy({ timeouts: USUAL, prepare, meanwhile })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);

  it('ends with all its tokens when strangers put something of theirs on its side, too', async () => {
    const prepare = (theft: Theft) =>
      closeChannels(theft, { burning: 20, ordinary: 40, given: 1n });
    expect(await stealBy({ timeouts: SHORT, prepare })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);

  it('ends with all its tokens when it starts again while strangers let it settle their channels', async () => {
    const prepare = (theft: Theft) => closeChannels(theft, { burning: 20, ordinary: 40 });
    const meanwhile = async ({ line, world }: Theft) => {
      await world.mine(4n);
      await line.stop('bob');
      await line.start('bob');
    };
    expect(await stealBy({ timeouts: SHORT, prepare, meanwhile })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);

  it('ends with all its tokens when others outbid the settlements of strangers that it has sent', async () => {
    const prepare = (theft: Theft) => closeChannels(theft, { burning: 6, ordinary: 6 });
    expect(await stealBy({ timeouts: SHORT, prepare, meanwhile: outbid })).toBeGreaterThanOrEqual(
      WHOLE,
    );
  }, 60_000);

  it('ends with all its tokens when others outbid it', async () => {
    const prepare = async () => {};
    expect(await stealBy({ timeouts: SHORT, prepare, meanwhile: outbid })).toBeGreaterThanOrEqual(
      WHOLE,
    );
  }, 60_000);
});

/** The block in which bob registers the secret is replaced by one without it. */
async function replaceRegistration({ world }: Theft): Promise<void> {
  const { network } = world;
  const secret = secretOf(SECRET);
  await world.mine(SHORT.revealTimeout - 8n);
  await world.makeDearer(6n);
  for (let left = LONG; left > 0n && !(await isRegistered(network, secret)); left--)
    await world.mine(1n);
  await anvilCall(network.chain, 'anvil_reorg', 1);
}

describe('a mediator of which the registration is in a block that is replaced', () => {
  it.each([
    ['nobody else does anything', { burning: 0, ordinary: 0 }],
    ['strangers let it settle their channels', { burning: 20, ordinary: 40 }],
  ])(
    'ends with all its tokens when %s',
    async (_, junk) => {
      const prepare = (theft: Theft) => closeChannels(theft, junk);
      const scheme = { timeouts: SHORT, prepare, meanwhile: replaceRegistration };
      expect(await stealBy(scheme)).toBeGreaterThanOrEqual(WHOLE);
    },
    60_000,
  );
});

describe('a mediator whose payer closes with an old state', () => {
  it('ends with all its tokens', async () => {
    const nothing = async () => {};
    expect(await stealByOldState({ timeouts: SHORT, prepare: nothing })).toBe(WHOLE);
  }, 60_000);

  it('ends with all its tokens, whatever strangers let it settle before', async () => {
    const prepare = (theft: Theft) => closeChannels(theft, { burning: 20, ordinary: 40 });
    expect(await stealByOldState({ timeouts: SHORT, prepare })).toBeGreaterThanOrEqual(WHOLE);
  }, 60_000);
});
