/** A thread that runs simulations, one after the other, for the thread that started it. */
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { carryOut, type Order, type Reply } from './order.ts';
import { createStopper } from './stopper.ts';

const port = parentPort;
if (port === null) throw new Error('this is started as a thread of a simulation');
const { memory } = v.parse(v.object({ memory: v.instance(SharedArrayBuffer) }), workerData);
const { isStopped } = createStopper(memory);
const reply = (message: Reply) => port.postMessage(message);

port.on('message', async (order: Order) => {
  const outcome = await carryOut(order, {
    isStopped,
    onProgress: (progress) => reply({ type: 'progress', progress }),
  });
  reply({ type: 'outcome', outcome });
});
