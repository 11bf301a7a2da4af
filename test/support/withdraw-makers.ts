/** Withdraw messages, as the other side receives them. */
import type { Effect } from '../../machines/effects.ts';
import type {
  WithdrawConfirmationReceived,
  WithdrawExpiredReceived,
  WithdrawRequestReceived,
} from '../../machines/events/messages.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import type { WithdrawExpired } from '../../src/protocol/messages/withdraw-expired.ts';
import type { ChannelParts } from './channel-makers.ts';
import { openChannel, partnersChannel } from './channel-makers.ts';
import { EXPIRATION, NETWORK, OWN, PARTNER, signedBy, stamped } from './makers.ts';
import { command } from './payment-makers.ts';

export type WithdrawEvent =
  | WithdrawRequestReceived
  | WithdrawConfirmationReceived
  | WithdrawExpiredReceived;
type WithdrawFields = Omit<WithdrawExpired, 'type'>;
type Sender = { sender: typeof OWN };

const fields = (parts: Partial<WithdrawFields>): WithdrawFields => ({
  messageId: 70n,
  chainId: 1n,
  tokenNetwork: NETWORK,
  channelId: 1n,
  participant: PARTNER,
  totalWithdraw: 30n,
  nonce: 1n,
  expiration: EXPIRATION,
  ...parts,
});

/** The partner asks for 30 in all. */
export function withdrawRequest(
  parts: Partial<WithdrawFields> & Partial<Sender> = {},
): Stamped<WithdrawRequestReceived> {
  const { sender = PARTNER, ...given } = parts;
  const message = { type: 'WithdrawRequest', coopSettle: false, ...fields(given) } as const;
  return stamped({ type: 'msg.withdrawRequest', message, ...signedBy(sender) });
}

/** The partner agrees that OWN takes 30 in all. */
export function withdrawConfirmation(
  parts: Partial<WithdrawFields> & Partial<Sender> = {},
): Stamped<WithdrawConfirmationReceived> {
  const { sender = PARTNER, ...given } = parts;
  const facts = fields({ participant: OWN, ...given });
  const message = { type: 'WithdrawConfirmation', ...facts } as const;
  return stamped({ type: 'msg.withdrawConfirmation', message, ...signedBy(sender) });
}

/** The partner says that what it asked for has run out. */
export function withdrawExpired(
  parts: Partial<WithdrawFields> & Partial<Sender> = {},
): Stamped<WithdrawExpiredReceived> {
  const { sender = PARTNER, ...given } = parts;
  const message = {
    type: 'WithdrawExpired',
    ...fields({ nonce: 2n, messageId: 71n, ...given }),
  } as const;
  return stamped({ type: 'msg.withdrawExpired', message, sender });
}

/** The withdraw message among the effects, as the other side receives it. */
function heard(
  { effects }: { effects: readonly Effect[] },
  sender = PARTNER,
): Stamped<WithdrawEvent> {
  const from = signedBy(sender);
  for (const effect of effects) {
    if (effect.type === 'send.consent')
      return stamped({ type: 'msg.withdrawConfirmation', message: effect.message, ...from });
    if (effect.type !== 'send.message') continue;
    const { message, messageId = 71n } = effect;
    if (message.type === 'WithdrawRequest')
      return stamped({ type: 'msg.withdrawRequest', message: { ...message, messageId }, ...from });
    if (message.type === 'WithdrawExpired')
      return stamped({ type: 'msg.withdrawExpired', message: { ...message, messageId }, sender });
  }
  throw new Error('no withdraw message was sent');
}

/** A channel that has asked to withdraw 30, and the partner's, which has agreed. */
export function withConsent(parts: ChannelParts = {}) {
  const asking = openChannel(parts).tell(command.withdraw(30n));
  const theirs = partnersChannel(parts).tell(heard(asking, OWN));
  return { asking, theirs, consent: heard(theirs), ours: asking.tell(heard(theirs)) };
}
