/** Runs the commands of README.md as they are written, on the default ports. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectFree, ownMachine } from '../support/own-machine.ts';
import { stepByStep } from '../support/readme.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { until } from '../support/until.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(top, 'README.md'), 'utf8');
const machine = ownMachine();

const PORTS = { chain: 8545, alice: 5001, bob: 5002, carol: 5003, echo: 5004 };
const SERVICE_PORTS = { inspector: 5100, pathfinding: 6001 };

let folder: string;
let shell: Shell;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-default-ports-'));
  if (machine.length === 0) await expectFree(Object.values({ ...PORTS, ...SERVICE_PORTS }));
  shell = openShell({
    before: machine,
    environment: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: folder,
      // The program is built: building it again would change it under the tests beside this one.
      npm_config_ignore_scripts: 'true',
    },
  });
  await shell.run(`cd '${top}'`);
});
afterEach(async () => {
  await shell.run('kill $DEVNET 2> /dev/null; wait; true').finally(shell.end);
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves with what the devnet prints when everything runs, on the default ports. */
async function startDevnet(command: string): Promise<string> {
  const said = join(folder, 'devnet.txt');
  await shell.run(`${command} > '${said}' 2>&1 & DEVNET=$!`);
  // The shell makes the file a moment after it has answered.
  const text = () => (existsSync(said) ? readFileSync(said, 'utf8') : '');
  const isOver = async () => (await shell.run('jobs -r')).trim() === '';
  await until(
    async () => text().includes('Ctrl-C stops everything') || (await isOver()),
    `the start of: ${command}`,
  );
  expect(text()).toContain('Ctrl-C stops everything');
  for (const [name, port] of Object.entries(PORTS))
    expect(text()).toMatch(new RegExp(`^ *${name} .*http://127\\.0\\.0\\.1:${port}\\b`, 'm'));
  expect(text()).toContain(`http://127.0.0.1:${SERVICE_PORTS.inspector}/inspector/`);
  expect(text()).toContain(`http://127.0.0.1:${SERVICE_PORTS.pathfinding}`);
  return text();
}

/** The lines for pasting, as they were printed, by what stands above each. */
function printedLines(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^echo '# (.*)'\n(curl .*)$/gm)].map(([, title = '', line = '']) => [
      title,
      line,
    ]),
  );
}

const QUIET = { from: /^curl /, to: 'curl -sSf ' };

/** Until it is answered with success: what the services know comes a moment after what the nodes know. */
async function paste(lines: Map<string, string>, title: string): Promise<unknown> {
  const line = lines.get(title);
  if (line === undefined)
    throw new Error(`no line for "${title}": ${[...lines.keys()].join('; ')}`);
  const command = line.replace(QUIET.from, QUIET.to);
  const answer = await shell.run(
    `for try in $(seq 40); do ${command} 2>/dev/null && break; sleep 0.5; done`,
  );
  if (answer.trim() === '') return shell.run(command.replace('-sSf', '-sS'));
  return JSON.parse(answer);
}

/** With it the README closes the channel. */
const CLOSING = /^.*"state":"closed"/m;

/** Lets the blocks pass at once that a settlement waits for. */
const MINE = `curl -s http://127.0.0.1:${PORTS.chain} -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":["0x1"]}'`;

const commands = [
  ...new Set([...readme.matchAll(/npm run devnet(?: -- --[a-z-]+)*/g)].map(([text]) => text)),
];

/** The test that follows the README step by step starts it so. */
const PLAIN = 'npm run devnet';
const WITH_CHANNELS = 'npm run devnet -- --open';
const [, program = ''] = /^```ts\n(.*?)^```/ms.exec(readme) ?? [];

describe('the commands of the README', () => {
  it('start a devnet in the ways that the tests below know', () => {
    expect(commands).toEqual([PLAIN, WITH_CHANNELS, 'npm run devnet -- --processes']);
  });

  it.each(commands.filter((command) => command !== PLAIN))(
    '%s starts on the default ports, and a payment over a mediator succeeds with the line that it prints',
    async (command) => {
      const lines = printedLines(await startDevnet(command));
      for (const title of [...lines.keys()].filter((title) => title.includes('opens a channel')))
        expect(await paste(lines, title)).toMatchObject({ state: 'opened' });
      const paid = await paste(lines, 'alice pays carol 1 TTA through bob');
      expect(paid).toMatchObject({ amount: String(10n ** 18n) });
      expect(await paste(lines, 'carol pays the echo node 9 units as payment 100')).toMatchObject({
        amount: '9',
      });
      // The program of the README needs the channels that this one opens.
      if (command === WITH_CHANNELS)
        expect(await shell.run(`node --input-type=module <<'END'\n${program}END`)).toMatch(
          /^paid 5 with \d+$/m,
        );
    },
    180_000,
  );

  it('lead through a payment, step by step', async () => {
    const { start, commands } = stepByStep();
    expect(start).toBe(PLAIN);
    await startDevnet(PLAIN);
    const quiet = commands.replaceAll('curl $', 'curl -s $').replaceAll('curl -X', 'curl -s -X');
    const closing = quiet.search(CLOSING);
    expect(closing).toBeGreaterThan(0);
    const opened = await shell.run(quiet.slice(0, closing));
    await shell.run(`(while sleep 0.2; do ${MINE} > /dev/null; done) & MINER=$!`);
    const output = opened + (await shell.run(quiet.slice(closing)));
    await shell.run('kill $MINER');
    expect(output).toMatch(/"state":"opened"/);
    expect(output).toMatch(/"total_deposit":"200000000000000000000"/);
    expect(output).toMatch(/"event":"EventPaymentSentSuccess","amount":"5000000000000000000"/);
    expect(output).toMatch(/"event":"EventPaymentReceivedSuccess","amount":"5000000000000000000"/);
    expect(output).toMatch(/"state":"closed"/);
    expect(output).toMatch(/"result":"0x0{44}d3c261325e6fe5f40000"/);
  }, 180_000);
});
