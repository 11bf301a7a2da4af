/**
 * The thread of one inspected run. It is not the one that answers HTTP: here clock, timers and `fetch` are those of
 * the simulated world, and a server needs the real ones. All batches that are written to the simulated disks are
 * sent to the main thread, which keeps copies of the disks.
 */
import { parentPort } from 'node:worker_threads';
import type { Ask, Goal, Reply } from './messages.ts';
import { perform } from './stage.ts';

const port = parentPort;
if (port === null) throw new Error('this is started as a thread of an inspected simulation');
const goals: Goal[] = [];
let wake = () => {};

port.on('message', (ask: Ask) => {
  if (ask.type === 'go') {
    goals.push(ask.goal);
    return wake();
  }
  // An error in the run ends the thread, and the starter is notified.
  void perform({
    subject: ask.subject,
    send: (reply: Reply) => port.postMessage(reply),
    next: nextGoal,
  });
});

async function nextGoal(): Promise<Goal> {
  for (;;) {
    const goal = goals.shift();
    if (goal !== undefined) return goal;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}
