/** A node that is asked for what it must refuse, and everything that this must leave as it was. */
import { expect } from 'vitest';
import { ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { secretRegistryAbi } from '../../src/chain/abi.ts';
import { deployToken } from '../../src/contracts/tokens.ts';
import { type Answer, channelIn, type Request } from './api.ts';
import { anvilAccount } from './chain.ts';
import { startPair } from './pair.ts';
import { TOKENS, type World } from './processes.ts';
import { until } from './until.ts';

export const USED_SECRET = `0x${'5e'.repeat(32)}`;
export const KNOWN_SECRET = `0x${'6f'.repeat(32)}` as const;

export type Refusing = Awaited<ReturnType<typeof startRefusing>>;

/**
 * Alice has a channel with bob of 60 tokens each and owns 540 more. Nobody runs her other partners: with
 * one there is an open channel, with one a closed one, with a stranger none. One secret was used in a
 * payment, another was told to everybody on chain.
 */
export async function startRefusing(world: World) {
  const pair = await startPair(world, 60n * TOKENS);
  const { alice } = pair.nodes;
  const [absent, closed, stranger] = [7, 8, 9].map((index) => anvilAccount(index).address);
  /** What stands for what in calls and bodies, e.g. `{token}`. */
  const names = new Map<string, string | undefined>(
    Object.entries({
      ...pair.address,
      absent,
      closed,
      stranger,
      zero: ZERO_ADDRESS,
      token: world.token,
      other: await deployToken(world.clients, { name: 'Other', symbol: 'OTH' }),
      contract: world.contracts.secretRegistryAddress,
    }),
  );
  const filled = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, name) => names.get(name) ?? whole);

  /** `call` is a method and a path below `/api/v1`. */
  function ask(call: string, json?: unknown, more: Partial<Request> = {}): Promise<Answer> {
    const [method = '', path = ''] = filled(call).split(' ');
    const raw = json === undefined ? {} : { raw: filled(JSON.stringify(json)) };
    return alice.api.ask({ method, path, ...raw, ...more });
  }

  await pair.open();
  for (const partner of ['{absent}', '{closed}']) {
    const json = { token_address: '{token}', partner_address: partner, total_deposit: '100' };
    channelIn(await world.whileMining(ask('PUT /channels', json)));
  }
  const close = ask('PATCH /channels/{token}/{closed}', { state: 'closed' });
  channelIn(await world.whileMining(close));
  expect((await pair.pay('alice', 5n, { secret: USED_SECRET })).status).toBe(200);
  await world.clients.wallet.writeContract({
    address: world.contracts.secretRegistryAddress,
    abi: secretRegistryAbi,
    functionName: 'registerSecret',
    args: [KNOWN_SECRET],
  });
  await until(async () => (await world.secrets()).length === 1, 'the secret is on chain');
  await until(pair.isQuiet, 'the payment is over');

  async function everything() {
    const [channels, history] = [await alice.api.channels(), await alice.api.history()];
    const lasting = {
      // Whether a partner can be reached changes by itself.
      shown: channels.map((channel) => ({ ...channel, network_state: null })),
      stored: pair.ledgerOf('alice').channels,
      tokens: await world.tokensOf(alice.address),
      transactions: await world.chain.client.getTransactionCount({ address: alice.address }),
    };
    return { lasting, history };
  }
  let known = await everything();

  return {
    pair,
    filled,
    ask,
    /** The refusal has the documented form, and all is as it was but for failures in the history. */
    async expectRefused(asked: Promise<Answer>, status: number, failures = 0): Promise<Headers> {
      const answer = await asked;
      expect(answer).toMatchObject({ status, body: { errors: expect.anything() } });
      const { errors } = Object(answer.body);
      const said = typeof errors === 'string' ? errors : Object.values(errors).flat().join();
      expect(said).toMatch(/\S/);
      const now = await everything();
      expect(now.lasting).toEqual(known.lasting);
      expect(now.history).toHaveLength(known.history.length + failures);
      known = now;
      return answer.headers;
    },
  };
}
