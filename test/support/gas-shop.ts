/** Customers of a seller, direct ones and those over a mediator, and strangers who hold locks that they never pay. */
import type { Address } from '../../src/basics/hex.ts';
import type { GasWorld, Speaker, Stranger } from './gas-attack.ts';
import { good, type TestNode, TOKENS } from './network.ts';
import { until } from './until.ts';

/** What a mediator takes, and what a piece costs. */
export const FEE = 1_000n;
const PRICE = TOKENS / 10_000n;
const TIMEOUTS = { settleTimeout: null, revealTimeout: null };
/** Money that somebody has put on the mediator's side, so that it can pass locks on to an accomplice. */
const GIVEN = 10n * TOKENS;

export type Held = {
  /** How many locks each key has. */
  locks: readonly number[];
  settleTimeout: bigint;
  lifetime: bigint;
  amount?: bigint;
};

const waysOver = (payees: readonly Address[]): { over?: Address }[] =>
  payees.length === 0 ? [{}] : payees.map((over) => ({ over }));

export function createShop(world: GasWorld) {
  const { network } = world;
  const { token } = network;

  /** Strangers with channels with the node, which knows them. */
  async function openFor(
    node: TestNode,
    terms: Omit<Parameters<typeof world.open>[1], 'of'>,
  ): Promise<Stranger[]> {
    const known = node.channels({ token }).length;
    const strangers = world.open(node.ownAddress, { of: world.ordinary, ...terms });
    await network.mine(3n);
    const isKnown = () => node.channels({ token }).length === known + terms.count;
    await until(isKnown, 'the channels of strangers are known');
    return strangers;
  }

  return {
    async start(name: string): Promise<TestNode> {
      await network.fund(name, 10n * TOKENS);
      return network.start(name);
    },
    async open(from: TestNode, to: TestNode): Promise<void> {
      const facts = { token, partner: to.ownAddress, totalDeposit: TOKENS };
      good(await network.whileMining(from.openChannel({ ...facts, ...TIMEOUTS })));
      const isKnown = () => to.channel(token, from.ownAddress) !== null;
      await until(isKnown, `${to.name} knows the channel`);
    },
    /** Pays for a piece; answers what came of it. */
    async buy(from: TestNode, way: readonly TestNode[], amount = PRICE): Promise<string> {
      const route = [from, ...way].map(({ ownAddress }) => ownAddress);
      const target = route.at(-1) ?? from.ownAddress;
      const request = { token, target, amount, lockTimeout: null };
      const chosen = { paymentId: null, secret: null, secrethash: null };
      const routes = [{ route, fee: way.length > 1 ? FEE : 0n }];
      const paying = from.pay({ ...request, ...chosen, routes });
      const answer = await network.whileMining(paying);
      return answer.ok ? 'paid' : answer.code;
    },
    /** Strangers that take what the node passes on to them, and answer nothing. */
    async addAccomplices(node: TestNode, count: number): Promise<Speaker[]> {
      const terms = { count, settleTimeout: 100n, deposit: 1n, given: GIVEN };
      const speakers = (await openFor(node, terms)).map((one) => world.speaker(one, node.name));
      // So the node learns their keys.
      for (const speaker of speakers)
        world.lock(speaker, node.name, { lifetime: 99n, isShown: false });
      await world.heard(speakers, 1);
      return speakers;
    },
    /** Keys with small locks that are not shown, for the node itself or over it to each of the payees in turn. */
    async hold(node: TestNode, held: Held, payees: readonly Address[] = []): Promise<Speaker[]> {
      const { locks, settleTimeout, lifetime, amount = 1n } = held;
      const deposit = BigInt(Math.max(0, ...locks)) * amount;
      const strangers = await openFor(node, { count: locks.length, settleTimeout, deposit });
      const speakers = strangers.map((stranger) => world.speaker(stranger, node.name));
      for (const [place, speaker] of speakers.entries()) {
        const ways = waysOver(payees);
        for (const [at, way] of ways.entries()) {
          const count = Math.floor(((locks[place] ?? 0) + at) / ways.length);
          world.lock(speaker, node.name, { count, lifetime, amount, isShown: false, ...way });
        }
        await world.heard([speaker], locks[place] ?? 0);
      }
      return speakers;
    },
  };
}
