/** A thread that runs one part of a simulation for the thread that runs the first. */
import { parentPort } from 'node:worker_threads';
import { breakMeeting, breakWithThread, type Seat } from '../parts/meeting.ts';
import type { Partial } from '../parts/partial.ts';
import type { PaymentRecord } from '../report/payment-records.ts';
import { simulatePart } from '../run/simulate.ts';
import type { Scenario } from '../scenario/schema/schema.ts';

/** What the thread is asked to run. */
export type PartOrder = { scenario: Scenario; seed: number; seat: Seat };
export type PartReply = { partial: Partial } | { error: string };

const port = parentPort;
if (port === null) throw new Error('this is started as a thread of a simulation');

port.once('message', async ({ seat, ...order }: PartOrder) => {
  const payments: PaymentRecord[] = [];
  const onPayment = (record: PaymentRecord) => void payments.push(record);
  const reply = (message: PartReply) => port.postMessage(message);
  breakWithThread(seat.memory, process);
  try {
    const partial = await simulatePart({ ...order, seat, onPayment });
    reply({ partial: { ...partial, payments } });
  } catch (error) {
    breakMeeting(seat.memory);
    reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
