/** Named places in which a test or a simulation lets the process die. In production every one does nothing. */

export const FAULT_POINTS = [
  'commit.before',
  'commit.written',
  'commit.after',
  'publish.before',
  'publish.after',
  'receive.before',
  'receive.after',
  'job.before',
  'job.after',
  'transaction.signed',
  'transaction.saved',
  'transaction.sent',
  'transaction.replaced',
  'transaction.mined',
  'reply.before',
  'sweep.before',
  'sweep.after',
] as const;
/** The places that a service has besides those of its transactions. */
export const SERVICE_FAULT_POINTS = ['request.stored', 'batch.stored'] as const;
export type FaultPoint = (typeof FAULT_POINTS | typeof SERVICE_FAULT_POINTS)[number];
/** The function that is called at each of these places. A place that no list names does not compile. */
export type Fault = (point: FaultPoint) => void;

export const noFault: Fault = () => {};
