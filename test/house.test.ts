import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AnyStateNode } from 'xstate';
import { KINDS } from '../src/node/runtime/actors/kinds.ts';

const top = fileURLToPath(new URL('..', import.meta.url));

/** Each room with its floor, as in ARCHITECTURE.md, and, where the floor is narrow, the packages that it may import. */
const ROOMS: Record<string, { floor: number; packages?: readonly string[] }> = {
  'src/basics': { floor: 0, packages: ['viem'] },
  'src/protocol': { floor: 1, packages: ['viem', 'valibot', 'hash-wasm'] },
  'src/contracts': { floor: 2 },
  machines: { floor: 3, packages: ['xstate', 'valibot'] },
  'src/routing': { floor: 3, packages: [] },
  'src/store': { floor: 4 },
  'src/chain': { floor: 4 },
  'src/partner': { floor: 4 },
  'src/signer': { floor: 4 },
  // Messages, the chain and routes know the runtime, not each other; `node.ts` and what the API asks know all.
  'src/replica': { floor: 5 },
  'src/node/runtime': { floor: 5 },
  'src/node/messaging': { floor: 6 },
  'src/node/chain': { floor: 6 },
  'src/node/routing': { floor: 6 },
  'src/node': { floor: 7 },
  'src/http': { floor: 8 },
  'src/services': { floor: 8 },
  // It answers HTTP requests, and the page of `src/http` finds it through the host.
  'src/inspector': { floor: 9 },
  // These run in a browser: of the lower floors only what is pure. The wallet calls the client.
  'src/page-parts': { floor: 10, packages: ['preact', '@preact'] },
  'src/inspector-page': { floor: 11, packages: ['preact', '@preact', 'elkjs'] },
  'src/client': { floor: 11, packages: ['eventsource-parser', 'hono'] },
  'src/host': { floor: 11 },
  'src/wallet-page': { floor: 12, packages: ['preact', '@preact', 'uqr'] },
  // The scheme for x402's packages, whose types it needs; a program that sells or buys brings them.
  'src/x402': { floor: 13, packages: ['@x402', 'ox'] },
  'src/tabs': { floor: 14 },
  'src/paywall': { floor: 15 },
  'src/simulation': { floor: 16 },
  'src/devnet': { floor: 16 },
  'src/cli': { floor: 17 },
};

function sourceFiles(folder: string): string[] {
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(top, join(entry.parentPath, entry.name)));
}

function roomOf(path: string): string | undefined {
  return Object.keys(ROOMS).find((room) => path.startsWith(`${room}/`));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(top, file), 'utf8');
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '');
}

/** Every file that is loaded with `file`, and the packages that each of them loads: `import()` loads nothing yet. */
function loadedWith(file: string, known = new Map<string, string[]>()): Map<string, string[]> {
  if (known.has(file)) return known;
  const text = readFileSync(join(top, file), 'utf8');
  const pattern = /(?:^|\n)import\s(?!type\s)(?:[^'"`;]*?from\s+)?['"]([^'"]+)['"]/g;
  const specifiers = [...text.matchAll(pattern)].map(([, specifier = '']) => specifier);
  const isFile = (specifier: string) => specifier.startsWith('.');
  known.set(
    file,
    specifiers.filter((name) => !isFile(name) && !name.startsWith('node:')),
  );
  for (const specifier of specifiers.filter(isFile))
    loadedWith(relative(top, join(top, dirname(file), specifier)), known);
  return known;
}

/** Why `file` may not import `specifier`, or null. */
function offence(file: string, specifier: string): string | null {
  const from = roomOf(file);
  const rule = from === undefined ? undefined : ROOMS[from];
  if (from === undefined || rule === undefined) return `${file} is in no room of the house`;
  if (!specifier.startsWith('.')) {
    const name = specifier.split('/')[0] ?? '';
    const allowed = rule.packages === undefined || rule.packages.includes(name);
    return allowed ? null : `${file} imports ${specifier}; ${from} may not`;
  }
  const target = relative(top, join(top, dirname(file), specifier));
  const room = roomOf(target);
  if (room === undefined) return `${file} imports ${specifier}, which is in no room`;
  if (room === from) return null;
  const floor = ROOMS[room]?.floor ?? 99;
  return floor < rule.floor
    ? null
    : `${file} (floor ${rule.floor}) imports ${room} (floor ${floor})`;
}

function namesBelow(node: AnyStateNode): string[] {
  return Object.values(node.states).flatMap((child) => [child.key, ...namesBelow(child)]);
}

/**
 * A state's value that is compared with the name of a state, or its text searched. Many names are words of the API, of
 * contracts and of services too, so other comparisons with them say nothing.
 */
function askedByName(): RegExp {
  const names = Object.values(KINDS).flatMap(({ machine }) => namesBelow(machine.root));
  const name = `'(?:${[...new Set(names)].join('|')})[.']`;
  const ofValue = String.raw`\bvalue\)*(?: [!=]== |\.(?:includes|startsWith)\()${name}`;
  const ofText = String.raw`\bstateText\([^\n]*\)(?: [!=]== '|\.(?:includes|startsWith|match|split)\()`;
  return new RegExp(`${ofValue}|${ofText}`);
}

describe('the house', () => {
  const files = [...sourceFiles('src'), ...sourceFiles('machines')];

  it('lets a file import only from its own room or from lower floors', () => {
    const offences = files.flatMap((file) =>
      importsOf(file)
        .map((specifier) => offence(file, specifier))
        .filter((found) => found !== null),
    );
    expect(offences).toEqual([]);
  });

  it('is what its document shows', () => {
    const text = readFileSync(join(top, 'ARCHITECTURE.md'), 'utf8');
    let floor = '';
    const shown = [...text.matchAll(/^\| (\d*) +\| `([^`]+)` +\|/gm)].map(([, number, room]) => {
      floor = number || floor;
      return [room, Number(floor)];
    });
    const built = Object.entries(ROOMS).map(([room, rule]) => [room, rule.floor]);
    expect(shown.sort()).toEqual(built.sort());
  });

  it('has no barrels', () => {
    const barrels = files.filter((file) =>
      /(^|\n)export\s+(\*|\{[^}]*\})\s+from/.test(readFileSync(join(top, file), 'utf8')),
    );
    expect(barrels).toEqual([]);
  });

  it('keeps clocks, chance and the environment out of machines and protocol', () => {
    const impure =
      /Date\.now|new Date\(|Math\.random|setTimeout|setInterval|process\.env|randomBytes|getRandomValues/;
    const pure = files.filter((file) => /^(machines|src\/(protocol|basics))\//.test(file));
    expect(pure.filter((file) => impure.test(readFileSync(join(top, file), 'utf8')))).toEqual([]);
  });

  it('lets what a simulation runs ask nobody but its parts for time and chance', () => {
    // A timer of `node:timers` cannot be answered out of virtual time, as the global ones are.
    const real = /Date\.now|new Date\(\)|Math\.random|performance\.|hrtime|node:timers/;
    const simulated =
      /^(machines|src\/(basics|protocol|contracts|routing|chain|node|services|simulation))\//;
    // The first makes the globals virtual, the second says what a run took; releases are asked for in the
    // real world only.
    const allowed = [
      'src/simulation/world/globals.ts',
      'src/simulation/workers/real-clock.ts',
      'src/node/api/release.ts',
    ];
    const found = files
      .filter((file) => simulated.test(file) && !allowed.includes(file))
      .filter((file) => real.test(readFileSync(join(top, file), 'utf8')));
    expect(found).toEqual([]);
  });

  it('has every file that its documents and comments name by a path', () => {
    const documents = [
      ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md'],
      ...readdirSync(join(top, 'docs'))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    ];
    const known = [...files, ...sourceFiles('test')];
    const named = [...documents, ...files].flatMap((document) => {
      const text = readFileSync(join(top, document), 'utf8');
      const paths = text.matchAll(/(?<=[`\s(])((?:[a-z-]+\/)+[a-z.-]+\.tsx?)(?=[`\s).,:;])/g);
      return [...paths].map(([, path = '']) => [document, path] as const);
    });
    const isThere = (path: string) =>
      known.some((file) => file === path || file.endsWith(`/${path}`));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(([, path]) => !isThere(path))).toEqual([]);
  });

  it('asks for a tag of a state, not for its name', () => {
    const pattern = askedByName();
    expect(files.filter((file) => pattern.test(readFileSync(join(top, file), 'utf8')))).toEqual([]);
    for (const wrong of [
      "actors.stateOf('node')?.value === 'ready'",
      "if (value !== 'registered') return null;",
      "stateText(stateIn(row).value).startsWith('opened')",
    ])
      expect(wrong).toMatch(pattern);
    expect("typeof value === 'string'").not.toMatch(pattern);
  });

  it('opens ports in few places, each of which refuses web pages or speaks no HTTP', () => {
    // The last two only look whether a port is free.
    const allowed = [
      'src/http/server.ts',
      'src/inspector/stately-server.ts',
      'src/devnet/chain/chain-entrance.ts',
      'src/devnet/network/gate.ts',
      'src/cli/doctor/network.ts',
      'src/host/port.ts',
    ];
    const found = files.filter((file) =>
      /\b(createServer|createSecureServer)\(/.test(readFileSync(join(top, file), 'utf8')),
    );
    expect(found.toSorted()).toEqual(allowed.toSorted());
  });

  it('tells help and usage errors before the libraries of any command are loaded', () => {
    const light = ['commander', 'smol-toml', 'valibot'];
    // Of viem this needs one function, and no more is in the bundle of the program's start.
    const small = ['src/basics/hex.ts'];
    const loaded = loadedWith('src/cli/sluice.ts');
    const heavy = [...loaded].flatMap(([file, packages]) =>
      packages
        .filter((name) => !light.includes(name) && !(name === 'viem' && small.includes(file)))
        .map((name) => `${file} loads ${name}`),
    );
    expect(heavy).toEqual([]);
    expect([...loaded.keys()].filter((file) => file.startsWith('src/cli/run/'))).toEqual([]);
    expect(loaded.has('src/cli/commands.ts')).toBe(true);
  });

  it('loads nothing of what sells and buys calls into a node', () => {
    const ofNode = [...loadedWith('src/cli/run/node.ts').keys()];
    expect(ofNode.filter((file) => /^src\/(x402|paywall)\//.test(file))).toEqual([]);
    // The types of x402's packages are enough: a program that sells or buys brings its own.
    const packages = [...loadedWith('src/x402/x402.ts').values()].flat();
    expect(packages.filter((name) => name.startsWith('@x402'))).toEqual([]);
    // Who buys keeps nothing on disk.
    expect(packages.filter((name) => /^(libsql|drizzle-orm)/.test(name))).toEqual([]);
  });

  it('finds an offence when there is one', () => {
    expect(offence('machines/channel/chart.ts', '../../src/store/base/schema.ts')).not.toBeNull();
    expect(offence('src/store/base/schema.ts', '../../chain/client.ts')).not.toBeNull();
    expect(offence('src/protocol/channel/lock.ts', 'node:crypto')).not.toBeNull();
    expect(
      offence('src/node/runtime/commits/turn.ts', '../../../../machines/channel/chart.ts'),
    ).toBeNull();
    expect([...loadedWith('src/cli/run/node.ts').values()].flat()).toContain('hono');
  });
});
