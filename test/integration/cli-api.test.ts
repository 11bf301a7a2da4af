import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callProgram, runProgram } from '../support/program.ts';

const TOKEN = 'canary-0123456789abcdef';

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-api-'));
  const registry = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
  writeFileSync(at('contracts.json'), JSON.stringify({ token_network_registry_address: registry }));
  writeFileSync(at('open'), TOKEN);
  chmodSync(at('open'), 0o644);
  writeFileSync(at('unknown-scope'), `${TOKEN} owner`, { mode: 0o600 });
  mkdirSync(at('no-page'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A node that is refused before it looks for its key or its chain. */
function run(
  flags: readonly string[],
  environment: Record<string, string> = {},
  start: typeof runProgram = callProgram,
) {
  const needed = ['--eth-rpc-endpoint', 'http://127.0.0.1:2', '--contracts', at('contracts.json')];
  return start(['node', ...needed, ...flags], { XDG_DATA_HOME: at('data'), ...environment });
}

describe('sluice node refuses', () => {
  it.each<[string, () => string[], number, string]>([
    [
      'a file of tokens that others may read',
      () => ['--api-token-file', at('open')],
      1,
      'chmod 600',
    ],
    [
      'a scope that there is not',
      () => ['--api-token-file', at('unknown-scope')],
      1,
      'line 1 must',
    ],
    ['a file that is not there', () => ['--api-token-file', at('none')], 1, 'cannot be read'],
    ['a page that is not there', () => ['--web-ui', at('no-page')], 1, 'has no index.html'],
    ['an origin that is none', () => ['--rpccorsdomain', 'app.example'], 2, 'list of origins'],
    [
      'a host name with a port',
      () => ['--api-hosts', 'node.example,10.0.0.5:80'],
      2,
      'list of host names',
    ],
    ['methods that are none', () => ['--rpc-passthrough', 'eth_*'], 2, 'list of methods'],
  ])('%s', async (_, flags, code, message) => {
    const refused = await run(flags());
    expect(refused.stderr).toContain(message);
    expect(refused.code).toBe(code);
    expect(refused.stderr).not.toContain(TOKEN);
  });

  it('the same from the environment, naming where it was given', async () => {
    const refused = await run([], { SLUICE_RPCCORSDOMAIN: 'app.example' });
    expect(refused.stderr).toContain('SLUICE_RPCCORSDOMAIN must be a comma list of origins');
  });

  it('the same from the file of --config', async () => {
    writeFileSync(at('options.toml'), 'rpc-passthrough = "eth_*"');
    const refused = await run(['--config', at('options.toml')], {}, runProgram);
    expect(refused.stderr).toContain('rpc-passthrough in the --config file must be');
  });
});
