/**
 * A set-up as operators run it, under load and in trouble for as long as one likes, and then its books to the unit: real
 * processes that pay, sell, open, close, are killed and come back. `--minutes N` (20), `--seed N` (drawn), `--brokers 1|3`
 * (3). Ends with 1 when anything contradicts itself; the logs are kept then.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { closeBooks } from './soak/accounts.ts';
import type { Contradiction } from './soak/books.ts';
import { liveAlways, newLives, openTrunk, tendTrunk } from './soak/channel-lives.ts';
import { createBuyer, payAlways, type Time } from './soak/payers.ts';
import { type Counted, progress, summary } from './soak/report.ts';
import { type Choices, LEAVES, type Setting, startSetting } from './soak/setting.ts';
import { newTroubles, reviveAll, troubleAlways, whenReady } from './soak/troubles.ts';

const PAYERS = 3;
const BUYERS = ['alice', 'dave'];
const LINE_MS = 30_000;
const MOST_SEED = 2 ** 31;
const MOST_MINUTES = 10_080;
/** In which a second signal is the same as the first one. */
const ECHO_MS = 500;
const USAGE = 2;
const INTERRUPTED = 130;

// Whoever reads may be gone before everything is ended.
process.stdout.on('error', () => {});
const say = (text: string): void => console.log(text);

function choicesOf(): (Choices & { minutes: number }) | null {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(randomInt(MOST_SEED)) },
      brokers: { type: 'string', default: '3' },
    },
  });
  const [minutes, seed, brokers] = [values.minutes, values.seed, values.brokers].map(Number);
  if (minutes === undefined || seed === undefined || brokers === undefined) return null;
  const isRight = minutes > 0 && minutes <= MOST_MINUTES && Number.isSafeInteger(seed);
  return isRight && [1, 3].includes(brokers) ? { minutes, seed, brokers } : null;
}

/** All that goes on beside each other until it is over. */
async function play(counted: Counted, ms: number, stopped: AbortSignal): Promise<void> {
  const { setting, lives, troubles, buyers } = counted;
  const { randomness, nodeOf } = setting;
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, ms);
  stopped.addEventListener('abort', end);
  const time: Time = { over: ending.signal, stopped };
  const [alice, carol, dave] = LEAVES.map(nodeOf);
  if (alice === undefined || carol === undefined || dave === undefined)
    throw new Error('there are three leaves');
  const pairs = [
    [alice, carol],
    [carol, dave],
    [dave, alice],
  ] as const;
  const begun = performance.now();
  const lines = setInterval(() => say(progress(counted, performance.now() - begun)), LINE_MS);
  const drawOf = (name: string) => randomness.of(name);
  try {
    await Promise.all([
      ...Array.from({ length: PAYERS }, (_, at) => payAlways(setting, drawOf(`payer ${at}`), time)),
      ...buyers.map((buyer) => buyer.buyAlways(time)),
      ...pairs.map((pair, at) =>
        liveAlways(setting, lives, { pair, draw: drawOf(`pair ${at}`) }, time),
      ),
      tendTrunk(setting, lives, drawOf('trunk'), time),
      troubleAlways(setting, troubles, drawOf('troubles'), time),
    ]);
    await reviveAll(setting);
    for (const node of setting.nodes) {
      const waiting = { node, begun: performance.now(), machines: node.machines };
      await whenReady(setting, troubles, waiting, stopped);
    }
  } finally {
    clearInterval(lines);
    clearTimeout(timer);
  }
}

/** What it found; null: it was interrupted. */
async function soak(
  setting: Setting,
  minutes: number,
  stopped: AbortSignal,
): Promise<Contradiction[] | null> {
  const lives = newLives();
  const buyers = BUYERS.map((name) =>
    createBuyer(setting, name, setting.randomness.of(`buyer ${name}`)),
  );
  const counted = { setting, lives, troubles: newTroubles(), buyers };
  await Promise.all(LEAVES.map((name) => openTrunk(setting, lives, setting.nodeOf(name), stopped)));
  if (!stopped.aborted) await play(counted, minutes * 60_000, stopped);
  const found = stopped.aborted ? [] : await closeBooks(setting, { lives, buyers, say }, stopped);
  if (stopped.aborted) return null;
  say(summary(counted, found));
  return found;
}

/** Aborted by the first Ctrl-C or SIGTERM; one that comes later ends the process, and all others with it. */
function whenTold(): AbortSignal {
  const stopping = new AbortController();
  let toldAt: number | null = null;
  const told = () => {
    // npm passes on what its whole group has been told already.
    if (toldAt !== null && performance.now() - toldAt > ECHO_MS) process.exit(INTERRUPTED);
    if (toldAt !== null) return;
    toldAt = performance.now();
    say('ending everything; a second Ctrl-C ends it at once');
    stopping.abort();
  };
  process.on('SIGINT', told);
  process.on('SIGTERM', told);
  return stopping.signal;
}

async function main({ minutes, ...choices }: Choices & { minutes: number }): Promise<number> {
  const { seed, brokers } = choices;
  say(`a soak of ${minutes} minutes with ${brokers} brokers, --seed ${seed}`);
  const stopping = whenTold();
  const setting = await startSetting(choices);
  say(`logs: ${setting.logs.folder}/logs`);
  let found: Contradiction[] | null | undefined;
  try {
    found = await soak(setting, minutes, stopping);
  } finally {
    await setting.stop();
    if (found === null || found?.length === 0) setting.logs.remove();
    else say(`kept: ${setting.logs.folder}`);
  }
  return found === null ? INTERRUPTED : Math.min(found.length, 1);
}

const choices = choicesOf();
if (choices === null) {
  console.error('usage: npm run soak -- [--minutes N] [--seed N] [--brokers 1|3]');
  process.exit(USAGE);
}
process.exit(await main(choices));
