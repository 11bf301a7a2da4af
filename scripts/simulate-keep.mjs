// Makes anew the worlds that each check runs (test/simulation/kept): the first few of those that `sluice simulate explore`
// keeps, which met most. --runs N: how many worlds it tries; --seed N; --most N: how many are kept.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const KEPT = join(root, 'test/simulation/kept');
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '240' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '14' },
  },
});
const out = mkdtempSync(join(tmpdir(), 'sluice-explored-'));
const options = ['--runs', values.runs, '--seed', values.seed, '--out', join(out, 'found')];
const program = join(root, 'dist/src/cli/main.js');
const { status } = spawnSync('node', [program, 'simulate', 'explore', ...options], {
  stdio: 'inherit',
});
if (status === 0) {
  rmSync(KEPT, { recursive: true, force: true });
  mkdirSync(KEPT, { recursive: true });
  for (let n = 1; n <= Number(values.most); n++) {
    const name = `world-${n}.yaml`;
    const found = join(out, 'found', name);
    if (existsSync(found)) copyFileSync(found, join(KEPT, name));
  }
}
rmSync(out, { recursive: true, force: true });
process.exit(status ?? 1);
