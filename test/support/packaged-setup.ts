/** A copy of `packaging` as an operator has it, with what belongs into its folder `own`, and its setup. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { parse } from 'yaml';

const PACKAGING = fileURLToPath(new URL('../../packaging', import.meta.url));
const composition = v.object({
  services: v.record(
    v.string(),
    v.object({
      command: v.optional(v.array(v.string()), []),
      environment: v.optional(v.record(v.string(), v.string()), {}),
      volumes: v.optional(v.array(v.string()), []),
      ports: v.optional(v.array(v.string()), []),
      profiles: v.optional(v.array(v.string()), []),
    }),
  ),
});

export type Packaging = ReturnType<typeof copyPackaging>;

export function copyPackaging() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-packaging-'));
  cpSync(PACKAGING, folder, {
    recursive: true,
    filter: (path) => !/packaging\/(own|\.env)/.test(path),
  });
  const own = (...path: string[]) => join(folder, 'own', ...path);
  const { services } = v.parse(
    composition,
    parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), { merge: true }),
  );

  return {
    folder,
    own,
    textOf: (...path: string[]) => readFileSync(own(...path), 'utf8'),
    service(name: string) {
      const service = services[name];
      if (service === undefined) throw new Error(`there is no service ${name}`);
      return service;
    },
    /** As docs/operating.md calls it. */
    setUp({ chainId = 1n, rpc = 'http://127.0.0.1:1' } = {}) {
      const env = {
        PATH: process.env['PATH'],
        CHAIN_ID: String(chainId),
        ETH_RPC_ENDPOINT: rpc,
      };
      return spawnSync(join(folder, 'setup.sh'), { env, encoding: 'utf8' });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
