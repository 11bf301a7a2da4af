/** packaging/: it names options, figures, files and alerts that there are, and docs/operating.md explains them. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandsOf } from '../src/cli/commands.ts';
import { createMetrics } from '../src/http/metrics.ts';
import { NOTIFICATION_IDS } from '../src/protocol/notification-ids.ts';
import { alerts } from '../src/store/base/schema.ts';
import { until } from './support/until.ts';
import { fakeNode } from './unit/http/fake-node.ts';

const top = fileURLToPath(new URL('..', import.meta.url));
const textOf = (...path: string[]) => readFileSync(join(top, ...path), 'utf8');
const operating = textOf('docs', 'operating.md');
/** The first column of the table with this heading in its first cell. */
function column(heading: string): string[] {
  const [, table = ''] = operating.split(new RegExp(`^\\| ${heading} +\\|.*\\n`, 'm'));
  const rows = table.split('\n\n')[0] ?? '';
  return [...rows.matchAll(/^\| `?([\w-]+)`? +\|/gm)].map(([, cell = '']) => cell).slice(1);
}

const groups = v.object({
  groups: v.array(v.object({ rules: v.array(v.object({ alert: v.string(), expr: v.string() })) })),
});
const dashboard = v.object({
  panels: v.array(
    v.object({
      title: v.string(),
      targets: v.optional(v.array(v.object({ expr: v.string() })), []),
    }),
  ),
});
const scraping = v.object({
  scrape_configs: v.array(v.looseObject({ job_name: v.string() })),
});
const composition = v.object({
  'x-node': v.object({ environment: v.record(v.string(), v.string()) }),
  services: v.record(
    v.string(),
    v.object({ image: v.optional(v.string()), volumes: v.optional(v.array(v.string()), []) }),
  ),
});

const rules = v
  .parse(groups, parse(textOf('packaging', 'prometheus', 'alerts.yml')))
  .groups.flatMap((group) => group.rules);
const { panels } = v.parse(
  dashboard,
  JSON.parse(textOf('packaging', 'grafana', 'dashboards', 'sluice.json')),
);
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const compose = v.parse(composition, parse(textOf('packaging', 'compose.yaml'), { merge: true }));

async function figures(): Promise<string[]> {
  const text = await createMetrics().page(fakeNode(), { waiting: () => 0 });
  return [...text.matchAll(/^# TYPE (pcn_\w+)/gm)].map(([, name = '']) => name);
}
/** Of every service. */
const SERVICE_FIGURES = ['pcn_pathfinding_health', 'pcn_monitoring_health'];
/** The figures in these queries, without what Prometheus adds to the name of a histogram. */
const namesIn = (texts: readonly string[]) =>
  new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/pcn_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, '')),
    ),
  );
const node = commandsOf('').find((one) => one.name() === 'node');
// A command declares its options when it is called.
node?.parseOptions([]);
/** Names as in the environment of a node. */
const options = new Set(
  node?.options.map(
    ({ long }) => `SLUICE_${(long ?? '').slice(2).replaceAll('-', '_').toUpperCase()}`,
  ),
);

describe('what watches a node', () => {
  it('asks for figures that a node or a service gives', async () => {
    // One of them ends as Prometheus's additions do.
    const ofNode = (await figures()).map((name) => name.replace(/_count$/, ''));
    const known = new Set([...ofNode, ...SERVICE_FIGURES]);
    for (const name of namesIn([...queries, ...rules.map(({ expr }) => expr)]))
      expect(known).toContain(name);
  });

  it('shows every figure of a node on the dashboard', async () => {
    const shown = namesIn(queries);
    const missing = (await figures()).filter((name) => !shown.has(name.replace(/_count$/, '')));
    expect(missing).toEqual([]);
  });

  it('has for each key of the set a token of its own', () => {
    const keys = Object.keys(compose.services).filter((name) => name.startsWith('node-'));
    const { scrape_configs } = v.parse(
      scraping,
      parse(textOf('packaging', 'prometheus', 'prometheus.yml')),
    );
    const ofNodes = scrape_configs.filter(({ job_name }) => job_name !== 'haproxy');
    expect(ofNodes).toEqual(
      ['node', ...keys].map((key) => ({
        job_name: key,
        authorization: { credentials_file: `/run/nodes/${key}-token` },
        file_sd_configs: [{ files: [`/run/nodes/${key}.yml`] }],
      })),
    );
  });

  it('is explained alert by alert, and so is every notification and alarm', () => {
    expect(column('alert').toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
    expect(column('notification').toSorted()).toEqual(NOTIFICATION_IDS.toSorted());
    for (const alarm of alerts.alert.enumValues) expect(operating).toContain(`\`${alarm}\``);
  });
});

describe('what runs a node', () => {
  it('sets options that a node has', () => {
    const set = [
      ...Object.keys(compose['x-node'].environment),
      ...[...textOf('packaging', 'systemd', 'node.env').matchAll(/^(SLUICE_\w+)=/gm)].map(
        ([, name = '']) => name,
      ),
      ...[...textOf('packaging', 'Dockerfile').matchAll(/SLUICE_\w+/g)].map(([name]) => name),
    ];
    expect(set.filter((name) => !options.has(name))).toEqual([]);
  });

  it('takes files that are in packaging, or that the setup makes in packaging/own', () => {
    const places = Object.values(compose.services).flatMap(({ volumes }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    const missing = places.filter(
      (place) => !place.startsWith('./own/') && !existsSync(join(top, 'packaging', place)),
    );
    expect(missing).toEqual([]);
    expect(
      spawnSync('git', ['check-ignore', 'packaging/own/x', 'packaging/.env'], { cwd: top }).status,
    ).toBe(0);
  });

  it('has scripts that can be called as its documents call them', () => {
    const called = readdirSync(join(top, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        [...textOf('docs', name).matchAll(/^(?:\w+=\S+ )*(packaging\/\S+\.sh)/gm)].map(
          ([, path = '']) => path,
        ),
      );
    expect(called).toContain('packaging/setup.sh');
    for (const path of called) expect(statSync(join(top, path)).mode & 0o111).toBe(0o111);
  });

  it('names the version of each image', () => {
    const images = Object.values(compose.services).flatMap(({ image }) => image ?? []);
    expect(images.filter((image) => !/^sluice$|:v?\d+\.\d+\.\d+/.test(image))).toEqual([]);
  });

  it('copies into the image what is there, and lets nothing else in', () => {
    const copied = [...textOf('packaging', 'Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
      .flatMap(([, names = '']) => names.split(' '))
      .toSorted();
    const admitted = [...textOf('.dockerignore').matchAll(/^!(.+)$/gm)].map(
      ([, name = '']) => name,
    );
    expect(copied).toEqual(admitted.toSorted());
    expect(copied.filter((name) => !existsSync(join(top, name)))).toEqual([]);
  });

  it('does not start a node again under systemd that was taken over from', () => {
    for (const unit of ['sluice-node.service', 'sluice-standby.service'])
      expect(textOf('packaging', 'systemd', unit)).toMatch(/^RestartPreventExitStatus=.*\b4\b/m);
    expect(column('code')).toContain('4');
  });
});

describe('the start of a container', () => {
  let folder: string;
  const entrypoint = join(top, 'packaging', 'entrypoint.sh');
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-entrypoint-'));
    // In place of the program: ends with the code that it is given, or at a signal.
    const program =
      'trap "exit 9" TERM; echo started; [ "$4" = wait ] || exit "$4"; while :; do sleep 0.1; done';
    writeFileSync(join(folder, 'node'), `#!/bin/sh\n${program}\n`);
    chmodSync(join(folder, 'node'), 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function start(what: string) {
    const PATH = `${folder}:${process.env['PATH']}`;
    const child = spawn('sh', [entrypoint, 'node', what], { env: { PATH } });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += text;
      });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { child, ended, said: () => said };
  }

  it('ends with the code of the node', async () => {
    for (const code of [0, 1, 70]) expect(await start(String(code)).ended).toBe(code);
  });

  it('passes a signal on, and waits for the end', async () => {
    const { child, ended, said } = start('wait');
    await until(() => said().includes('started'), 'the program runs');
    child.kill('SIGTERM');
    expect(await ended).toBe(9);
  });

  it('stays without a node when another one has taken over, until it is told to end', async () => {
    const { child, ended, said } = start('4');
    await until(() => said().includes('another node has taken over'), 'it says so');
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await ended).toBe(4);
  });
});

describe('the step that opens channels', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-channels-'));
  const asked: string[] = [];
  const [ours, other] = [`0x${'a'.repeat(40)}`, `0x${'e'.repeat(40)}`];
  /** In place of the nodes: at /PLACE/ is one that says it has the address PLACE. */
  const apis = createServer((request, answer) => {
    const [, place = '', , , ...rest] = (request.url ?? '').split('/');
    asked.push(rest.join('/'));
    const our_address = decodeURIComponent(place);
    answer.end(JSON.stringify({ our_address, state: 'opened', total_deposit: '9' }));
  });
  beforeAll(() => new Promise<void>((resolve) => void apis.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    apis.close();
    rmSync(folder, { recursive: true });
  });

  function call(addresses: readonly string[]) {
    const file = join(folder, 'token');
    writeFileSync(file, 'secret');
    const place = apis.address();
    const port = typeof place === 'object' ? place?.port : 0;
    const nodes = addresses.map(
      (address) => `http://127.0.0.1:${port}/${encodeURIComponent(address)}=${file}`,
    );
    const script = join(top, 'packaging', 'channels.sh');
    return new Promise<string>((resolve) => {
      execFile(script, [`0x${'1'.repeat(40)}`, '5', ...nodes], (_, said, problem) =>
        resolve(said + problem),
      );
    });
  }

  it('puts nothing that a node says, and that is no address, into what it asks another one', async () => {
    expect(await call([ours, other])).toContain('Each of 2 nodes has put 5');
    asked.length = 0;
    expect(await call([ours, `../${other}/${other}`])).toMatch(/gives no address\n$/);
    expect(asked).toEqual(['address', 'address']);
  });
});

it('an installed package has everything that its documents lead to', () => {
  const [packed] = v.parse(
    v.tuple([v.object({ files: v.array(v.object({ path: v.string() })) })]),
    JSON.parse(runNpm(['pack', '--dry-run', '--json', '--ignore-scripts'])),
  );
  const paths = packed.files.map(({ path }) => path);
  const isThere = (place: string) =>
    paths.some((path) => `${path}/`.startsWith(place.replace(/\/?$/, '/')));
  const links = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) => {
      const text = textOf(page);
      const linked = [...text.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].map(([, link = '']) =>
        posix.join(posix.dirname(page), link),
      );
      const named = [...text.matchAll(/(?<=[`\s])packaging\/[a-z./-]+[a-z]/g)].map(
        ([name]) => name,
      );
      return [...linked, ...named].map((place) => ({ page, place }));
    });
  expect(links.length).toBeGreaterThan(100);
  // What its script makes belongs to one installation.
  const dead = links.filter(({ place }) => !place.startsWith('packaging/own') && !isThere(place));
  expect(dead).toEqual([]);
});

function runNpm(args: readonly string[]): string {
  const { stdout } = spawnSync('npm', args, { cwd: top, encoding: 'utf8', maxBuffer: 10_000_000 });
  return stdout;
}
