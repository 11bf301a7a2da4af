/** The proxy of `packaging`, where HAProxy is installed. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Packaging } from './packaged-setup.ts';
import { freePort } from './processes.ts';
import { until } from './until.ts';

const PATH = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;
export const hasProxy = spawnSync('haproxy', ['-v'], { env: { PATH } }).status === 0;

/**
 * Starts it after the setup, with only places changed. `places`: of the nodes, by name and port. `nameServer`: whom it asks
 * for names; by default whom the machine asks.
 */
export async function startProxy(
  packaging: Packaging,
  places: Record<string, string>,
  nameServer?: string,
) {
  const ports = new Map<string, number>();
  for (const port of ['5001', '5002', '5003', '8405']) ports.set(port, await freePort());
  const placed = (file: string) =>
    Object.entries(places)
      .reduce((text, [name, place]) => text.replace(` ${name}:5001`, ` ${place}`), file)
      .replaceAll(/bind :(\d+)/g, (_, port) => `bind 127.0.0.1:${ports.get(port)}`)
      .replace('parse-resolv-conf', (own) => nameServer ?? own);
  const folder = join(packaging.folder, 'proxy');
  mkdirSync(folder);
  for (const [name, text] of [
    ['haproxy.cfg', readFileSync(join(packaging.folder, 'haproxy', 'haproxy.cfg'), 'utf8')],
    ['keys.cfg', packaging.textOf('proxy.cfg')],
  ] as const)
    writeFileSync(join(folder, name), placed(text));
  const proxy = spawn('haproxy', ['-f', folder], { env: { PATH }, stdio: 'ignore' });
  const at = (port: string) => `http://127.0.0.1:${ports.get(port)}`;
  const figures = `${at('8405')}/metrics`;
  const listens = () =>
    fetch(figures).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(listens, 'the proxy listens');

  return {
    /** Where clients call the key of this number. */
    api: (number: number) => at(`${5000 + number}`),
    /** Of a key, by its name in the proxy, how many nodes take calls, as Prometheus reads it. */
    async active(key: string): Promise<number> {
      const text = await (await fetch(figures)).text();
      const line = new RegExp(`^haproxy_backend_active_servers\\{proxy="${key}"\\} (\\d+)`, 'm');
      return Number(line.exec(text)?.[1]);
    },
    stop: () => proxy.kill('SIGKILL'),
  };
}
