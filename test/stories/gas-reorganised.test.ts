/**
 * A stranger's promise was given when gas was cheap and is mined before that of dave, given when gas was dear. A reorganisation
 * brings it back, and gas costs more than it has: dave's must not wait for it.
 */
import { expect, it } from 'vitest';
import type { Transaction } from '../../src/simulation/chain/transaction.ts';
import { type GasWorld, GWEI, USUAL } from '../support/gas-attack.ts';
import { openPayerAndPayee, show, stealBy, WHOLE } from '../support/gas-theft.ts';

const MUCH = 10n ** 22n;
const LIMIT = 30_000_000n;
/** Blocks in which bob registers what he must. */
const MOST = 90;
type Sent = { nonce: number; head: bigint };

/** What bob sends from now on, and the block that was the newest. */
function sentBy({ network, head }: GasWorld): Sent[] {
  const own = network.addressOf('bob').toLowerCase();
  const sent: Sent[] = [];
  network.simulated.onSubmit(({ from, nonce }: Transaction) => {
    if (from.toLowerCase() === own) sent.push({ nonce, head: head() });
  });
  return sent;
}

async function mineUntil(world: GasWorld, isDone: () => boolean): Promise<void> {
  let blocks = 0;
  for (; blocks < MOST && !isDone(); blocks++) await world.mine(1n);
  expect(blocks).toBeLessThan(MOST);
}

it.each([
  ['nothing is reorganised', null],
  ['a reorganisation keeps the promise of a stranger', 'again'],
  ['a reorganisation brings the promise of a stranger back', 'later'],
] as const)(
  'bob can claim what dave withholds when %s',
  async (_, keep) => {
    const left = await stealBy({
      timeouts: USUAL,
      async prepare(theft) {
        const { world } = theft;
        await world.setMoney('bob', MUCH);
        const pair = await openPayerAndPayee(theft);
        await theft.agree();
        await pair.lock(106n);
        await show(pair.payee, pair.payer.secrets[0] ?? '0x');
        await pair.paid(1);
        await world.makeDearer(9n);
      },
      async meanwhile({ world }) {
        const { simulated } = world.network;
        const price = () => simulated.head().baseFee;
        const promised = price();
        const sent = sentBy(world);
        await world.setMoney('bob', 510_000n * GWEI + 510_000n * promised - 60_000n * GWEI);
        await mineUntil(world, () => sent.length > 0);
        const [first] = sent;
        const wei = world.wei('bob');
        await mineUntil(world, () => sent.some(({ nonce }) => nonce !== first?.nonce));
        simulated.setWeather({ others: { gas: LIMIT, tip: 10n ** 12n } });
        if (keep !== null) {
          simulated.reorganise(Number(world.head() - (first?.head ?? 0n)), { keep });
          await world.setMoney('bob', wei);
        }
        await mineUntil(world, () => price() >= 2n * promised);
        simulated.setWeather({ others: { gas: LIMIT / 2n, tip: 0n } });
        await world.mine(40n);
        expect(price()).toBeLessThan(3n * promised);
      },
    });
    expect(left).toBe(WHOLE);
  },
  90_000,
);
