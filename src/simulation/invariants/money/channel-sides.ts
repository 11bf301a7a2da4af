/** Both sides of each channel of each node, as they are between two changes of a commit. */
import type { ChannelContext } from '../../../../machines/channel/context.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import type { Batch } from '../../../store/base/batch.ts';
import type { Changed } from '../lock-changes.ts';
import { stateOf } from '../states.ts';
import type { FeeSide } from './fee-model.ts';

type Sums = { transferred: bigint; locked: bigint };
/** What each side has put in, less what it has taken out or may still take out. */
type Funds = { own: bigint; partner: bigint };
type Held = { own: Sums; partner: Sums; funds: Funds };
/** `funds`: those before the commit, and those after it if they are others: who knows when they changed. */
type Moving = { own: Sums; partner: Sums; funds: Funds[] };
export type ChannelSides = ReturnType<ReturnType<typeof createSides>['begin']>;

const NOTHING: Sums = { transferred: 0n, locked: 0n };

export function createSides() {
  const machines = new Map<string, Map<string, Held>>();
  const heldBy = (who: string) => getOrMake(machines, who, () => new Map<string, Held>());

  /** The channels that the batch writes, as they are after it. */
  const written = ({ actors }: Batch) =>
    actors.flatMap((row) => {
      const state = row.kind === 'channel' ? stateOf(row) : null;
      return state?.kind === 'channel' ? [[row.id, heldIn(state.context)] as const] : [];
    });

  return {
    /** The sides before the batch, to be changed by one change after the other. */
    begin(who: string, batch: Batch) {
      const before = heldBy(who);
      const after = new Map(written(batch));
      const moving = new Map<string, Moving>();
      const at = (channel: string) =>
        getOrMake(moving, channel, () => movingFrom(before.get(channel), after.get(channel)));
      return {
        change(channel: string, { side, kind, lock }: Changed) {
          const sums = at(channel)[side];
          const { amount } = decodeLock(lock);
          sums.locked += kind === 'add' ? amount : -amount;
          if (kind === 'pay') sums.transferred += amount;
        },
        /** Of the channel by which a lock came. `own`: its amount, if all else that is locked counts as arrived; else null. */
        payer(channel: string, own: bigint | null): FeeSide[] {
          const { partner } = at(channel);
          const others = own === null ? 0n : partner.locked - own;
          return sidesIn(at(channel)).map(({ balance, receivable }) => {
            return { balance: balance + others, receivable: receivable - others };
          });
        },
        /** Of the channel by which a lock is to go; `isCapped`: what is locked does not count as gone. */
        payee(channel: string, isCapped: boolean): FeeSide[] {
          const gone = isCapped ? 0n : at(channel).own.locked;
          return sidesIn(at(channel)).map(({ balance, receivable }) => {
            return { balance: balance - gone, receivable: receivable + gone };
          });
        },
      };
    },
    /** The batch is written. */
    end(who: string, batch: Batch) {
      const held = heldBy(who);
      for (const [channel, sides] of written(batch)) held.set(channel, sides);
      for (const channel of batch.gone) held.delete(channel);
    },
  };
}

function heldIn({ ownEnd, partnerEnd }: ChannelContext): Held {
  const fundsOf = ({ deposit, withdrawn, withdraws }: ChannelContext['ownEnd']) => {
    const totals = withdraws.map(({ totalWithdraw }) => totalWithdraw);
    return deposit - totals.reduce((most, one) => (one > most ? one : most), withdrawn);
  };
  const sumsOf = ({ transferred, locked }: Sums): Sums => ({ transferred, locked });
  return {
    own: sumsOf(ownEnd),
    partner: sumsOf(partnerEnd),
    funds: { own: fundsOf(ownEnd), partner: fundsOf(partnerEnd) },
  };
}

function movingFrom(before: Held | undefined, after: Held | undefined): Moving {
  const funds = [before, after].flatMap((held) => held?.funds ?? []);
  const [first] = funds;
  const others = funds.filter(
    ({ own, partner }) => own !== first?.own || partner !== first.partner,
  );
  return {
    own: { ...(before?.own ?? NOTHING) },
    partner: { ...(before?.partner ?? NOTHING) },
    funds: first === undefined ? [] : [first, ...others],
  };
}

const sidesIn = ({ own, partner, funds }: Moving): FeeSide[] =>
  funds.map((put) => ({
    balance: put.own - own.transferred + partner.transferred,
    receivable: put.partner - partner.transferred + own.transferred,
  }));
