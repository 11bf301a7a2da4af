/** Starts a slow line to a broker: see `slow-line-process.ts`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type SlowLine = Awaited<ReturnType<typeof startSlowLine>>;

const PROGRAM = fileURLToPath(new URL('./slow-line-process.js', import.meta.url));

export async function startSlowLine(broker: string) {
  const child = spawn(process.execPath, [PROGRAM, new URL(broker).port], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    url: `nats://127.0.0.1:${port}`,
    /**
     * From now on everything between two nodes takes so long, in each direction: half of it from a node to the broker,
     * and half from there. `loseEvery`: of the payloads of each node this one is lost; 0: none is.
     */
    set({ delayMs, loseEvery = 0 }: { delayMs: number; loseEvery?: number }): void {
      child.stdin.write(`${delayMs / 2} ${loseEvery}\n`);
    },
    async stop(): Promise<void> {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
