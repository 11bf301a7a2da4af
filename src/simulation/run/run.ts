import type { Address } from '../../basics/hex.ts';
import type { PaymentResult } from '../../node/api/api.ts';
import type { RunningNode } from '../../node/start.ts';
import type { Result } from '../../protocol/codes.ts';
import type { createCallers } from '../invariants/records/callers.ts';
import type { Violation } from '../invariants/violation.ts';
import type { createNetwork } from '../network/network.ts';
import type { RunResult } from '../report/results/result.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import type { NetworkPlan } from '../scenario/topology.ts';
import type { Randomness } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Trace } from '../world/trace.ts';
import type { Attackers } from './attackers.ts';
import type { Quiet } from './faults/quiet.ts';
import type { Trouble } from './faults/trouble.ts';
import type { Trust } from './faults/trust.ts';
import type { PaymentNotes } from './figures/payment-notes.ts';
import type { Tally } from './figures/tally.ts';
import type { CheatFigures } from './rules/gas-rules.ts';
import type { Oversight } from './rules/oversight.ts';
import type { World } from './world.ts';

/** `virtualMs`: since the simulated world began. */
export type RunEvent = { step: number; virtualMs: number; who: string; what: string };

export type Run = {
  scenario: Scenario;
  seed: number;
  plan: NetworkPlan;
  scheduler: Scheduler;
  randomness: Randomness;
  trace: Trace;
  world: World;
  tally: Tally;
  oversight: Oversight;
  payments: PaymentNotes;
  callers: ReturnType<typeof createCallers>;
  network: ReturnType<typeof createNetwork>;
  trouble: Trouble;
  attackers: Attackers;
  violations: Violation[];
  /** The number of the block before the scenario's first, and the time of it. */
  firstBlock: number;
  begun: number;
  /** Steps that were done before the present moment. */
  moment: number;
  faultPeriods: RunResult['faults'][number][];
  /** The channels that were opened, by their identifiers on chain. */
  channels: { id: bigint; a: number; b: number }[];
  channelsOf(index: number): Run['channels'];
  /** The index of the node with this address; null: it is nobody's. */
  indexOf(address: Address): number | null;
  /** Number of unfinished payments of running processes; a caller is cut off when the process ends. */
  underWay(): number;
  trust: Trust;
  quiet: Quiet;
  /** What each cheat spent, and made others spend. */
  cheats(): CheatFigures[];
  /** Releases resources of the real world, such as files. */
  end(): void;
};
/**
 * An unfinished payment: the process of the node that was asked for it, and the function that ends it. `code` null: it
 * has arrived; `answer`: all that the node said.
 */
export type UnderWay = {
  index: number;
  process: RunningNode;
  end(code: string | null, answer?: Result<PaymentResult>): void;
};
