/** Joins and leaves of one token network, and what its actor is told on the way. */
import { askedBy } from '../../machines/base/asking.ts';
import type { Join, OpenLimits } from '../../machines/events/commands.ts';
import type { LeftChannel, PartnerDeposit } from '../../machines/events/notices.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { CHANNEL, NOW, PARTNER, REVEAL_TIMEOUT, SETTLE_TIMEOUT, stamped } from './makers.ts';
import { NETWORK_ACTOR, type PlayedNetwork } from './payment-makers.ts';
import { effectsOf } from './played.ts';

type JoinParts = Partial<Omit<Join, 'type' | 'limits' | 'gas'>> & {
  limits?: Partial<OpenLimits>;
  gas?: Partial<Join['gas']>;
};

/** Funds of 100, of which a share is 20, with as many peers as `candidates` names. */
export function join({ limits, gas, ...given }: JoinParts = {}) {
  return stamped({
    type: 'cmd.join',
    requestId: 'join',
    funds: 100n,
    candidates: [PARTNER],
    deposits: [],
    settleTimeout: SETTLE_TIMEOUT,
    revealTimeout: REVEAL_TIMEOUT,
    limits: {
      participantLimit: 500n,
      networkRoom: 300n,
      ownTokens: 200n,
      minSettleTimeout: 20n,
      maxSettleTimeout: 500n,
      minRevealTimeout: 7n,
      ...limits,
    },
    gas: { money: 1_000n, perOpening: 10n, ...gas },
    ...given,
  } as const);
}

export const leave = (channels: readonly string[] = [], requestId = 'leave') =>
  stamped({ type: 'cmd.leave', requestId, channels } as const);

/** A partner's deposit into a channel of a block after NOW. */
export const partnerDeposit = (parts: Partial<PartnerDeposit> = {}) =>
  stamped({
    type: 'actor.partnerDeposit',
    offer: {
      channel: CHANNEL,
      channelId: 1n,
      partner: PARTNER,
      openBlock: NOW + 1n,
      ownDeposit: 0n,
      partnerDeposit: 10n,
      ...parts,
    },
  } as const);

/** How the channel answers to its close; null: it is closed. */
export function closeAnswer(code: Code | null, about = CHANNEL) {
  const failure = code === null ? null : { code, detail: 'why' };
  return stamped({ type: 'actor.answered', about, failure } as const);
}

export const leftChannel = (channel = CHANNEL): LeftChannel => ({
  channel,
  channelId: 1n,
  partner: PARTNER,
  balance: 90n,
  totalDeposit: 100n,
  totalWithdraw: 0n,
  settleTimeout: SETTLE_TIMEOUT,
  revealTimeout: REVEAL_TIMEOUT,
});
export const channelSettled = (channel = CHANNEL) =>
  stamped({ type: 'actor.channelSettled', left: leftChannel(channel) } as const);

/** What the network tells a channel that it is to close. */
export const closeOf = (channel = CHANNEL) => ({
  type: 'notify',
  to: channel,
  event: { type: 'cmd.close', requestId: askedBy(NETWORK_ACTOR, channel) },
});

/** The keys of the openings that were just asked for. */
export const openingKeys = (network: PlayedNetwork): string[] =>
  effectsOf(network, 'tx.openChannel').map(({ key }) => key);
