/** The whole conformance table, in the order in which its rows are asked. */
import type { Row } from './row.ts';
import { additionRows } from './rows/additions.ts';
import { channelChangeRows } from './rows/channel-changes.ts';
import { channelRows } from './rows/channels.ts';
import { connectionRows } from './rows/connections.ts';
import { everywhereRows } from './rows/every-endpoint.ts';
import { historyRows } from './rows/history.ts';
import { keyRows } from './rows/keys.ts';
import { mintRows } from './rows/mint.ts';
import { nodeRows } from './rows/node.ts';
import { openingRows } from './rows/openings.ts';
import { orderRows } from './rows/order.ts';
import { paymentRows } from './rows/payments.ts';
import { shapeRows } from './rows/shapes.ts';
import { tokenRows } from './rows/tokens.ts';
import { eventRows, notificationRows, pendingRows } from './rows/transfers.ts';
import { userDepositRows } from './rows/user-deposit.ts';
import { withdrawRows } from './rows/withdraws.ts';

export const TABLE: Record<string, Row[]> = {
  'node information': nodeRows,
  tokens: tokenRows,
  channels: channelRows,
  'opening a channel': openingRows,
  'changes of a channel': channelChangeRows,
  'payment history': historyRows,
  payments: paymentRows,
  'withdrawals from a channel': withdrawRows,
  'user deposit': userDepositRows,
  'pending transfers': pendingRows,
  'channel events': eventRows,
  notifications: notificationRows,
  mint: mintRows,
  connections: connectionRows,
  'shapes of bodies': shapeRows,
  'order of checks': orderRows,
  'every endpoint': everywhereRows,
  'calls with a key': keyRows,
  'beyond the document': additionRows,
};
export const ROWS = Object.values(TABLE).flat();
