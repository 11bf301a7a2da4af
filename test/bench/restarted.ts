/** One start of a node process on a filled database, and what it took. */
import { createCaller } from './callers.ts';
import { type NodeFiles, startNodeProcess } from './node-process.ts';
import { cpuMsOf, memoryOf } from './process-figures.ts';

/** Milliseconds, of CPU time where the name says so; memory in KiB, when the node has just become ready. */
export type Restarted = {
  ready: number;
  readyCpu: number;
  memory: number;
  listedCpu: number;
  listed: number;
};

/** Starts the node, waits until it is ready, lists its channels, ends it. */
export async function restarted(files: NodeFiles): Promise<Restarted> {
  const node = await startNodeProcess(files);
  const readyCpu = cpuMsOf(node.pid);
  const memory = memoryOf(node.pid);
  const caller = createCaller(node.api);
  const asked = performance.now();
  const { status } = await caller.call('GET', '/channels');
  if (status !== 200) throw new Error(`channels answered ${status}`);
  const listed = performance.now() - asked;
  const listedCpu = cpuMsOf(node.pid) - readyCpu;
  caller.close();
  await node.stop();
  return { ready: node.readyMs, readyCpu, memory, listed, listedCpu };
}
