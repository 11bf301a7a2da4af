/** The steps of a mediator: asking a hop, passing the secret back, claiming on chain, paying on. */
import {
  isLockTimeoutAllowed,
  isSafeToWait,
  leastRevealTimeout,
  senderRemovalBlock,
} from '../../src/protocol/expiration.ts';
import type { Secret } from '../../src/protocol/hex.ts';
import type { Effect } from '../effects.ts';
import type { SettingsTold } from '../events/notices.ts';
import { type ForwardLock, hopName, type LockForwarded } from '../events/notices.ts';
import type { Step } from '../step.ts';
import type { MediatorContext } from './context.ts';

type MediatorStep = Step<MediatorContext>;

/**
 * Whether the transfer may still be passed on. The payer's lock has to leave time to register the secret,
 * and must not outlive the settlement of its channel: the payer could take it back while we still owe.
 */
export function canForward({ payer, expiration }: MediatorContext, nowBlock: bigint): boolean {
  return isLockTimeoutAllowed(expiration - nowBlock, payer.revealTimeout, payer.settleTimeout);
}

/** Whether the payer's lock leaves time to wait for its unlock, once the payee is paid. */
export function isSafe({ payer, expiration }: MediatorContext, nowBlock: bigint): boolean {
  return isSafeToWait(expiration, payer.revealTimeout, nowBlock);
}

/** Another time to look at one side, or none. */
function woken(
  mediator: MediatorContext,
  blocks: Partial<Pick<MediatorContext, 'payerBlock' | 'payeeBlock'>>,
): MediatorContext {
  const next = { ...mediator, ...blocks };
  const { payerBlock, payeeBlock } = next;
  const isPayerFirst = payeeBlock === null || (payerBlock !== null && payerBlock < payeeBlock);
  return { ...next, wakeBlock: isPayerFirst ? payerBlock : payeeBlock };
}

/** Asks the hop of this number; when there is none left, all are asked again at the next block. */
export function askHop(mediator: MediatorContext, hop: number, nowBlock: bigint): MediatorStep {
  const { id: from, hops, token, amount: amountIn, payer, fees } = mediator;
  const patch = { ...woken(mediator, { payeeBlock: nowBlock + 1n }), hop };
  const partner = hops[hop];
  if (partner === undefined) return { patch, effects: [] };
  const { paymentId, secrethash, expiration, initiator, target, metadata } = mediator;
  const passedOn = { paymentId, secrethash, expiration, initiator, target, metadata };
  const event: ForwardLock = {
    ...{ type: 'actor.forwardLock', from, amountIn, payer, fees },
    ...passedOn,
  };
  return { patch, effects: [{ type: 'notify', to: hopName(token, partner), event }] };
}

/** The transfer went on: our lock ends when the payer's does. */
export function noteForwarded(mediator: MediatorContext, event: LockForwarded): MediatorStep {
  const { channel, partner, amount } = event;
  const payeeBlock = senderRemovalBlock(mediator.expiration, mediator.confirmations);
  return {
    patch: { ...woken(mediator, { payeeBlock }), payee: { channel, partner, amount } },
    effects: [],
  };
}

/** Nothing more is to be done for the payee at any block. */
export function restPayee(mediator: MediatorContext): MediatorStep {
  return { patch: woken(mediator, { payeeBlock: null }), effects: [] };
}

/** The payee's channel is closed: until the lock runs out the payee can claim it on chain. */
export function watchPayee(mediator: MediatorContext): MediatorStep {
  return { patch: woken(mediator, { payeeBlock: mediator.expiration }), effects: [] };
}

const revealKey = ({ id }: MediatorContext) => `reveal:${id}`;

/** The secret goes back to the payer, again and again until it unlocks. */
export function passBack(mediator: MediatorContext): Effect[] {
  const { secret, payer } = mediator;
  if (secret === null) return [];
  const message = { type: 'RevealSecret', secret } as const;
  const key = revealKey(mediator);
  return [{ type: 'send.message', key, to: payer.partner, queue: null, message }];
}

/** First block at which the payer's unlock can no longer be waited for. */
const dangerBlock = ({ expiration, payer }: MediatorContext) => expiration - payer.revealTimeout;

/** More confirmations than before leave less time: what is reserved grows, and what is due comes earlier. */
export function noteSettings(mediator: MediatorContext, { settings }: SettingsTold): MediatorStep {
  const { confirmations } = settings;
  const payer = {
    ...mediator.payer,
    revealTimeout: leastRevealTimeout(confirmations, mediator.payer.revealTimeout),
  };
  const next = { ...mediator, confirmations, payer };
  const { payerBlock } = mediator;
  const danger = dangerBlock(next);
  if (payerBlock === null || payerBlock <= danger) return { patch: next, effects: [] };
  return { patch: woken(next, { payerBlock: danger }), effects: [] };
}

/** The payer has time to unlock: tell it, and be awake when waiting gets dangerous. */
export function awaitUnlock(mediator: MediatorContext): MediatorStep {
  return {
    patch: woken(mediator, { payerBlock: dangerBlock(mediator) }),
    effects: passBack(mediator),
  };
}

/** Brings the secret on chain; until the transaction ends there is nothing to look at. */
export function register(mediator: MediatorContext): MediatorStep {
  const { id, secret, expiration } = mediator;
  if (secret === null) throw new Error('mediator: registers a secret that it does not know');
  const jobs = mediator.jobs + 1;
  const key = `secret:${id}:${jobs}`;
  return {
    patch: { ...woken(mediator, { payerBlock: null }), jobs },
    effects: [{ type: 'tx.registerSecret', from: id, key, deadlineBlock: expiration - 1n, secret }],
  };
}

export function tryNextBlock(mediator: MediatorContext, nowBlock: bigint): MediatorStep {
  return { patch: woken(mediator, { payerBlock: nowBlock + 1n }), effects: [] };
}

/** The payer's side needs nothing of us any more. */
export function restPayer(mediator: MediatorContext): MediatorStep {
  return {
    patch: woken(mediator, { payerBlock: null }),
    effects: [{ type: 'done.message', key: revealKey(mediator) }],
  };
}

/** The secret stands on chain in time: the channel may not let its lock expire, and can claim it. */
export function registered(mediator: MediatorContext, channel: string | undefined): Effect[] {
  const { secret, secrethash } = mediator;
  if (secret === null || channel === undefined) return [];
  const event = { type: 'actor.secretRegistered', secrethash, secret } as const;
  return [{ type: 'notify', to: channel, event }];
}

/** On chain in time: only the payer's unlock, or its channel's end, is still to come. */
export function awaitPayer(mediator: MediatorContext): MediatorStep {
  const { payer } = mediator;
  return {
    patch: woken(mediator, { payerBlock: null }),
    effects: registered(mediator, payer.channel),
  };
}

/** Pays the payee; the channel signs it. */
export function unlockPayee(mediator: MediatorContext): Effect[] {
  const { payee, secret, secrethash, paymentId } = mediator;
  if (payee === null || secret === null) throw new Error('mediator: pays without lock or secret');
  const event = { type: 'actor.unlock', secrethash, secret, paymentId } as const;
  return [{ type: 'notify', to: payee.channel, event }];
}

/** Our lock has run out and no secret is on chain that could claim it. */
export function expirePayee(mediator: MediatorContext): MediatorStep {
  const { payee, secrethash } = mediator;
  const event = { type: 'actor.expireLock', secrethash } as const;
  const effects: Effect[] = payee === null ? [] : [{ type: 'notify', to: payee.channel, event }];
  return { patch: woken(mediator, { payeeBlock: null }), effects };
}

/** One side was paid; what is kept is known when both are. */
export function notePaid(mediator: MediatorContext, side: 'isPaidIn' | 'isPaidOut'): MediatorStep {
  const paid = { ...mediator, [side]: true };
  const { token, tokenNetwork, secrethash, amount, payee, isPaidIn, isPaidOut } = paid;
  if (!isPaidIn || !isPaidOut || payee === null) return { patch: { [side]: true }, effects: [] };
  const fee = amount - payee.amount;
  return {
    patch: { [side]: true },
    effects: [{ type: 'record.mediated', token, tokenNetwork, secrethash, fee }],
  };
}

/** The secret that an event brings, or the one that is known. */
export function secretIn(
  mediator: MediatorContext,
  event: { message: { secret: Secret } } | { secret: Secret | null },
): Secret | null {
  const told = 'message' in event ? event.message.secret : event.secret;
  return told ?? mediator.secret;
}
