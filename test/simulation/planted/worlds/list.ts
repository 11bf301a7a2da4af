/** The worlds in which planted defects are looked for, by name. Without a defect nothing goes wrong in them. */
import type { Part } from '../../small-scenarios.ts';
import { BOUND_WORLDS } from './bounds.ts';
import { CHAIN_WORLDS } from './chain.ts';
import { COMMIT_WORLDS } from './commits.ts';
import { DEADLINE_WORLDS } from './deadlines.ts';
import { DEBTOR_WORLDS } from './debtors.ts';
import { DISPUTE_WORLDS } from './dispute.ts';
import { LOCK_WORLDS } from './locks.ts';
import { MEDIATION_WORLDS } from './mediation.ts';
import { MESSAGE_WORLDS } from './messages.ts';
import { PAYMENT_WORLDS } from './payments.ts';
import { REPLICA_WORLDS } from './replica.ts';
import { ROUTING_WORLDS } from './routing.ts';
import { SECOND_WORLDS } from './second.ts';
import { STALE_WORLDS } from './stale.ts';
import { STORE_WORLDS } from './store.ts';
import { TRANSACTION_WORLDS } from './transactions.ts';
import { WITHDRAW_WORLDS } from './withdraw.ts';

export const WORLDS: Readonly<Record<string, Part>> = {
  ...DEADLINE_WORLDS,
  ...LOCK_WORLDS,
  ...MEDIATION_WORLDS,
  ...PAYMENT_WORLDS,
  ...DISPUTE_WORLDS,
  ...WITHDRAW_WORLDS,
  ...CHAIN_WORLDS,
  ...TRANSACTION_WORLDS,
  ...SECOND_WORLDS,
  ...STALE_WORLDS,
  ...STORE_WORLDS,
  ...REPLICA_WORLDS,
  ...MESSAGE_WORLDS,
  ...ROUTING_WORLDS,
  ...DEBTOR_WORLDS,
  ...BOUND_WORLDS,
  ...COMMIT_WORLDS,
};
