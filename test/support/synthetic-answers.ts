/** What the inspector says about a channel that is nowhere but in a test. */
import type { ChannelContext } from '../../machines/channel/context.ts';
import type { Deadline, Patch, PatchOperation } from '../../src/inspector/wire.ts';
import type { ChannelEnd } from '../../src/protocol/channel/channel-end.ts';
import { CONFIRMATIONS } from './makers.ts';

export function nearestDeadline({ ownEnd, partnerEnd }: ChannelContext): bigint | null {
  const ends = [...ownEnd.locks, ...partnerEnd.locks].map(({ expiration }) => expiration);
  return ends.reduce<bigint | null>(
    (least, end) => (least === null || end < least ? end : least),
    null,
  );
}

export function deadlinesOf({
  ownEnd,
  partnerEnd,
  revealTimeout,
  withdraw,
}: ChannelContext): Deadline[] {
  const locksOf = (side: 'own' | 'partner', end: ChannelEnd): Deadline[] =>
    end.locks.map(({ secrethash, amount, expiration }) => ({
      what: 'lock',
      secrethash,
      side,
      amount,
      dangerBlock: side === 'own' ? null : expiration - revealTimeout,
      expiryBlock: expiration,
      action: side === 'own' ? 'takes the lock back' : 'registers the secret on chain',
      actionBlock: side === 'own' ? expiration + CONFIRMATIONS * 2n : expiration - revealTimeout,
    }));
  const asked: Deadline[] =
    withdraw === null
      ? []
      : [
          {
            what: 'withdraw',
            secrethash: null,
            side: 'own',
            amount: withdraw.totalWithdraw,
            dangerBlock: null,
            expiryBlock: withdraw.expiration,
            action: 'gives the withdraw up',
            actionBlock: withdraw.expiration + CONFIRMATIONS * 2n,
          },
        ];
  return [...locksOf('own', ownEnd), ...locksOf('partner', partnerEnd), ...asked];
}

/** A copy without secrets and signatures. */
export function redacted<T>(value: T): T;
export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const isHidden = field !== null && (key === 'secret' || /signature$/i.test(key));
      return [
        key,
        isHidden ? { $redacted: key === 'secret' ? 'secret' : 'signature' } : redacted(field),
      ];
    }),
  );
}

export function patchOf(before: unknown, after: unknown, path = ''): PatchOperation[] {
  if (before === after) return [];
  if (!isPlain(before) || !isPlain(after)) return [{ op: 'replace', path, value: after }];
  return Object.keys({ ...before, ...after }).flatMap((key): Patch => {
    const at = `${path}/${key}`;
    if (!(key in after)) return [{ op: 'remove', path: at }];
    if (!(key in before)) return [{ op: 'add', path: at, value: after[key] }];
    return patchOf(before[key], after[key], at);
  });
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
