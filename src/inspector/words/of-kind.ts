/** The sentences for guards and actions, by the kind of the machine. */
import type { Kind } from '../../../machines/contexts.ts';
import { CHANNEL_WORDS } from './channel.ts';
import { KEEPER_WORDS } from './keeper.ts';
import type { Words } from './names.ts';
import { INITIATOR_WORDS, MEDIATOR_WORDS, TARGET_WORDS } from './payments.ts';
import { NODE_WORDS, TOKEN_NETWORK_WORDS, USER_DEPOSIT_WORDS, WITHDRAWAL_WORDS } from './tokens.ts';

export const MACHINE_WORDS: Record<Kind, Words> = {
  node: NODE_WORDS,
  tokenNetwork: TOKEN_NETWORK_WORDS,
  channel: CHANNEL_WORDS,
  initiator: INITIATOR_WORDS,
  mediator: MEDIATOR_WORDS,
  target: TARGET_WORDS,
  keeper: KEEPER_WORDS,
  userDeposit: USER_DEPOSIT_WORDS,
  withdrawal: WITHDRAWAL_WORDS,
};
