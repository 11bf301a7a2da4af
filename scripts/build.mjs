// Builds the program into dist/: the compiled modules, the declarations of the package, Swagger UI, the pages of inspector and wallet, and the bundle of the commands.
// Does nothing when dist/ was built of the very same files: every suite of tests begins with a build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist/built-of');
/** What the build reads: the lock file stands for all libraries. */
const INPUTS = ['src', 'machines', 'scripts', 'tsconfig.json', 'package.json', 'package-lock.json'];
const STEPS = [
  ['tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', 'dist/built.tsbuildinfo'],
  ['node', 'scripts/flat-types.mjs'],
  ['node', 'scripts/copy-swagger-ui.mjs'],
  ['vite', 'build', '--config', 'scripts/inspector.vite.config.mjs'],
  ['vite', 'build', '--config', 'scripts/wallet.vite.config.mjs'],
  ['vite', 'build', '--config', 'scripts/program.vite.config.mjs'],
];

function* filesIn(path) {
  const entries = existsSync(join(root, path))
    ? readdirSync(join(root, path), { withFileTypes: true })
    : [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) yield* filesIn(inner);
    else yield inner;
  }
}

function hashOfInputs() {
  const hash = createHash('sha256').update(process.version);
  for (const input of INPUTS)
    for (const file of input.includes('.') ? [input] : filesIn(input)) {
      const content = readFileSync(join(root, file));
      hash.update(`${file} ${content.length}\n`).update(content);
    }
  return hash.digest('hex');
}

const wanted = hashOfInputs();
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0);
console.error('Building the program, once: half a minute ...');
rmSync(stamp, { force: true });
for (const [command, ...args] of STEPS) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
mkdirSync(join(root, 'dist'), { recursive: true });
// npx makes it so once, and does not see that it was built anew.
const program = join(root, 'dist/src/cli/main.js');
if (existsSync(program)) chmodSync(program, 0o755);
writeFileSync(stamp, wanted);
