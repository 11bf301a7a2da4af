/**
 * Channels of a token that nobody but the attack has, full of locks of one unit each: they cost it nothing, and their
 * partners would have to find room, gas and blocks for their claims if they took them for money.
 */

import type { Address } from '../../basics/hex.ts';
import { MAX_PENDING_LOCKS } from '../../protocol/channel/lock.ts';
import type { Market, Power, Program } from './program.ts';

type Facts = {
  powers: ReadonlyMap<Address, Power>;
  victims: readonly Address[];
  /** The token that is worth nothing; null: there is none. */
  junk(kind: 'worthless'): Pick<Market, 'token'> | null;
  onMove(text: string): void;
};

/** Blocks until a channel is filled up again: a partner that is silent takes nothing, however often it is tried. */
const PAUSE = 10n;
/** Units of the token in each channel. */
const DEPOSIT = 100_000n;

export function createWorthlessChannels(facts: Facts): Pick<Program, 'block'> {
  const { powers, victims, onMove } = facts;
  const token = facts.junk('worthless')?.token ?? null;
  const opening = new Set<string>();
  /** The block in which each channel was filled. */
  const filled = new Map<string, bigint>();

  /** Opens the channel if it is not there, or gives it as many locks as it still takes. */
  function fill(power: Power, partner: Address) {
    const node = power.node();
    if (node === null || token === null) return;
    if (node.channel(token, partner) === null) return open(power, partner, token);
    const key = `${power.own} ${partner}`;
    if (power.head() < (filled.get(key) ?? -PAUSE) + PAUSE) return;
    filled.set(key, power.head());
    const pending = node.pendingTransfers({ token, partner });
    const left = MAX_PENDING_LOCKS - (pending.ok ? pending.value.length : 0);
    if (left > 0) onMove(`locks ${left} times one unit of nothing`);
    for (let n = 0; n < left; n++) {
      const request = { token, target: partner, amount: 1n, lockTimeout: null };
      const chosen = { paymentId: null, secret: null, secrethash: null, routes: null };
      node.pay({ ...request, ...chosen }).catch(() => {});
    }
  }

  function open(power: Power, partner: Address, of: Address) {
    const key = `${power.own} ${partner}`;
    if (opening.has(key)) return;
    opening.add(key);
    onMove('opens a channel that is worth nothing');
    const timeouts = { settleTimeout: null, revealTimeout: null };
    power
      .node()
      ?.openChannel({ token: of, partner, totalDeposit: DEPOSIT, ...timeouts })
      .catch(() => {})
      .finally(() => opening.delete(key));
  }

  return {
    block() {
      // One after the other: each key gets a share of what those before it have left.
      for (const [place, power] of [...powers.values()].entries())
        power.later(place / powers.size, () => {
          for (const victim of victims) if (!powers.has(victim)) fill(power, victim);
        });
    },
  };
}
