/** All defects that are planted, and the classes that no simulation can meet. */
import { BOUNDS } from './bounds.ts';
import { CHAIN } from './chain.ts';
import { COMMITS } from './commits.ts';
import { DEADLINES } from './deadlines.ts';
import { DISPUTES } from './dispute.ts';
import { LOCKS } from './locks.ts';
import { MEDIATION } from './mediation.ts';
import { MESSAGES } from './messages.ts';
import type { PlantedBug } from './patch.ts';
import { PAYMENTS } from './payments.ts';
import { REPLICAS } from './replica.ts';
import { ROUTING } from './routing.ts';
import { STORE } from './store.ts';
import { TRANSACTIONS } from './transactions.ts';
import { WITHDRAWS } from './withdraw.ts';

export const PLANTED: readonly PlantedBug[] = [
  ...DEADLINES,
  ...LOCKS,
  ...MEDIATION,
  ...PAYMENTS,
  ...DISPUTES,
  ...WITHDRAWS,
  ...CHAIN,
  ...TRANSACTIONS,
  ...STORE,
  ...REPLICAS,
  ...MESSAGES,
  ...ROUTING,
  ...BOUNDS,
  ...COMMITS,
];

/** Every class of the regression list is either planted or named here, with the reason. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  R13: 'The second form of a signature is refused by the signer, which a simulation replaces.',
  R32: 'A simulated disk has no files, and so no rights to them.',
  R34: 'Terminals and pages are what shows hostile text; a simulated node is read by programs.',
  R35: 'Origin and Host are checked by the HTTP server, and a simulation calls the node itself.',
  R41: 'Simulated databases begin with the newest schema: there is no upgrade to interrupt.',
  R47: 'Status codes are given by the HTTP routes, and a simulation calls the node itself.',
  R56: 'Content types are checked by the HTTP server, and a simulation calls the node itself.',
  R66: 'The reserve file and the closing of the database belong to the program, not to the node.',
  R76: 'Status codes are given by the HTTP routes, and a simulation calls the node itself.',
  R77: 'Words of other clients are read below the chain that is simulated, whose endpoints all speak as one client does.',
  R82: 'What was paid for is served by the HTTP server that sells, and a simulation has only its payments.',
  R83: 'The log belongs to the program: a simulated node tells the trace.',
  R84: 'The registration of a service lasts 180 days, longer than any run.',
  R86: 'A simulated disk has no files that another could delete.',
};
