/**
 * A mediator, a process with default timeouts, that partners keep busy who hold keys and have channels with it: what each
 * type of message can do with 10 MB, valid and forged, at the moment when the mediator has to bring a secret on chain.
 * Whether it does so in time, for how long nothing else got a turn in it, and what it spent. Last, whether its tokens
 * can be taken in this way when time is short: reveal timeout 10, blocks of 6 s, a quarter of a core.
 *
 * Options: `--only` with a part of a kind's name (`theft` for the last), `--megabytes` of the floods, `--quota` with the
 * part of a core that the mediator has during a flood, `--block-time` in seconds.
 */
import { parseArgs } from 'node:util';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { until } from '../support/until.ts';
import { KINDS, type Kind } from './attack-kinds.ts';
import { type AttackNetwork, type Stage, startAttackNetwork, WEALTH } from './attack-network.ts';
import { attack, type Outcome, quiet } from './attack-run.ts';
import { type Measured, report, round } from './report.ts';

const { values: given } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    megabytes: { type: 'string', default: '10' },
    quota: { type: 'string' },
    'block-time': { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const QUOTA = given.quota === undefined ? null : Number(given.quota);
const DEFAULT_REVEAL_TIMEOUT = 50n;
const AMOUNT = 10n ** 18n;

/** As short as a reveal timeout can be with one confirmation. */
const SHORT_TIMEOUT = 10n;
const SMALL_QUOTA = 0.25;
const SLOW_BLOCKS = 6;
const THEFT: Kind = { ...kindOf('Sync, nothing accepted'), name: 'theft', rows: 400 };
const STOLEN = 90n * 10n ** 18n;
const THEFT_BYTES = 2e6;
/** Blocks after the expiration, after which a payer may take its lock back. */
const BLOCKS_AFTER = 4n;

function kindOf(name: string): Kind {
  const kind = KINDS.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

function rowsOf(name: string, outcome: Outcome): Measured[] {
  const { debt, dueBlock, registeredBlock, outbox } = outcome;
  const isRegistered = registeredBlock > 0n;
  const late = isRegistered ? registeredBlock - dueBlock : debt.expiration - dueBlock;
  const left = isRegistered ? debt.expiration - registeredBlock : 0n;
  const row = (what: string, value: number, unit: string, aim?: string): Measured => {
    const measured = { metric: `${name}: ${what}`, value: round(value), unit };
    return aim === undefined ? measured : { ...measured, aim };
  };
  return [
    row('registered after it was due', Number(late), 'blocks', '<= 8'),
    row('left until the lock ran out', Number(left), 'blocks', '>= 1'),
    row('longest hold of the event loop', outcome.holdCpu, 'ms of CPU time', '<= 50'),
    row('the same by the clock', outcome.holdWall, 'ms'),
    row('CPU time', outcome.cpuSeconds, 's'),
    row('memory', outcome.memory, 'MiB'),
    row('messages that waited for the payee', outbox, ''),
  ];
}

async function onStage<T>(
  network: AttackNetwork,
  further: readonly string[],
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const stage = await network.stage(further);
  try {
    return await work(stage);
  } finally {
    await Promise.all([stage.payer.stop(), stage.payee.stop(), stage.mediator.kill()]);
  }
}

async function floods(kinds: readonly Kind[]): Promise<Measured[]> {
  const blockSeconds = Number(given['block-time']);
  const network = await startAttackNetwork({ stages: kinds.length, blockSeconds });
  const rows: Measured[] = [];
  const bytes = Number(given.megabytes) * 1e6;
  try {
    for (const kind of kinds) {
      const options = {
        bytes,
        revealTimeout: DEFAULT_REVEAL_TIMEOUT,
        amount: AMOUNT,
        quota: QUOTA,
      };
      const outcome = await onStage(network, [], (stage) => attack(network, stage, kind, options));
      const figures = rowsOf(kind.name, outcome);
      console.log(kind.name, figures.map(({ value, unit }) => `${value} ${unit}`).join(', '));
      rows.push(...figures);
    }
  } finally {
    await network.stop();
  }
  return rows;
}

/** What the mediator has in both channels, in tokens. */
async function wealthOf({ mediator, payer, payee }: Stage): Promise<number> {
  const balances = [payer, payee].map(({ address }) => mediator.balanceWith(address));
  const [incoming = 0n, outgoing = 0n] = await Promise.all(balances);
  return Number(incoming + outgoing) / 1e18;
}

async function theft(): Promise<Measured[]> {
  const network = await startAttackNetwork({ stages: 1, blockSeconds: SLOW_BLOCKS });
  const further = ['--default-reveal-timeout', String(SHORT_TIMEOUT)];
  try {
    return await onStage(network, further, async (stage) => {
      const options = { revealTimeout: SHORT_TIMEOUT, amount: STOLEN, quota: QUOTA ?? SMALL_QUOTA };
      const outcome = await attack(network, stage, THEFT, { ...options, bytes: THEFT_BYTES });
      const { secret, expiration } = outcome.debt;
      // The payer would have to pay if the secret stood on chain in time.
      if (outcome.registeredBlock === 0n) {
        const isOver = async () => (await network.head()) >= expiration + BLOCKS_AFTER;
        await until(isOver, 'the lock has run out');
        stage.payer.expire(secrethashOf(secret));
      } else stage.payer.unlock({ paymentId: outcome.debt.paymentId, secret });
      await quiet(stage.mediator.pid);
      const after = await wealthOf(stage);
      const before = Number(WEALTH) / 1e18;
      const metric = 'theft: tokens of the mediator';
      const tokens = { metric, value: round(after), unit: 'tokens', reference: before };
      return [...rowsOf('theft', outcome), { ...tokens, aim: '>= 1' }];
    });
  } finally {
    await network.stop();
  }
}

const isWanted = (name: string) => name.includes(given.only);
const rows = await floods(KINDS.filter(({ name }) => isWanted(name)));
if (isWanted(THEFT.name)) rows.push(...(await theft()));
report('attack', rows);
