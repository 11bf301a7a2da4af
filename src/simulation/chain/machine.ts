/** Runs messages on the simulated contracts: transactions, and read-only calls. */
import type { Address, Hex } from '../../basics/hex.ts';
import { readInput } from './contracts/abi.ts';
import type { Contract, Emitted, Recover, World } from './contracts/contract.ts';
import { createMeter, gasOfData, gasPaid } from './contracts/meter.ts';
import { Revert, refused } from './contracts/revert.ts';
import { createStorage } from './contracts/storage.ts';
import { gasOfFunction } from './gas.ts';

/** `value` in wei. */
export type Message = { from: Address; to: Address; data: Hex; value: bigint };
export type Run = {
  isSuccess: boolean;
  /** What the function returned, or the encoded reason why it reverted. */
  output: Hex;
  /** Why it reverted, in words; null: no reason was given, or it succeeded. */
  reason: string | null;
  /** Gas that is paid for. */
  gasUsed: bigint;
  /** Gas limit that the transaction needs: refunds only count after the execution. */
  gasNeeded: bigint;
  logs: readonly Emitted[];
};
export type Answer = Pick<Run, 'isSuccess' | 'output' | 'reason'>;
export type Machine = ReturnType<typeof createMachine>;

export function createMachine({ chainId, recover }: { chainId: bigint; recover: Recover }) {
  const meter = createMeter();
  const storage = createStorage(meter);
  const wei = storage.freeTable(0n);
  const nonces = storage.freeTable(0);
  const contracts = storage.freeTable<Contract | null>(null);
  const block = { number: 0n, timestamp: 0n };
  const world: World = {
    chainId,
    block,
    storage,
    meter,
    contracts,
    emitted: [],
    recover,
    whim: { kind: 'none' },
    isMining: false,
  };

  /** Runs the message. Throws `Revert`. */
  function run({ from, to, data, value }: Message): Hex {
    if (value > 0n) {
      wei.set(from, wei.get(from) - value);
      wei.set(to, wei.get(to) + value);
    }
    const contract = contracts.get(to);
    if (contract === null) return '0x';
    const selector: Hex = `0x${data.slice(2, 10).toLowerCase()}`;
    const method = contract.methods.get(selector);
    if (method === undefined || value > 0n) throw refused();
    const output = method.run({ sender: from }, readInput(data));
    meter.charge(gasOfFunction(method.signature));
    return output;
  }

  function attempt(message: Message): Answer {
    const mark = storage.mark();
    world.emitted = [];
    try {
      return { isSuccess: true, output: run(message), reason: null };
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      storage.revertTo(mark);
      world.emitted = [];
      return { isSuccess: false, output: error.data, reason: error.reason };
    }
  }

  return {
    world,
    storage,
    wei,
    nonces,
    contracts,
    /** Sets the block in which the next messages run. `timestamp`: seconds since 1970. */
    stand(number: bigint, timestamp: bigint): void {
      block.number = number;
      block.timestamp = timestamp;
    },
    /** What the message would return. Its effects are taken back, and no gas is counted. */
    ask(message: Message): Answer {
      const mark = storage.mark();
      const answer = attempt(message);
      storage.revertTo(mark);
      return answer;
    },
    /**
     * Executes the message with all its effects, but takes no fee; when it needs more gas than the limit, it has no
     * effect.
     */
    execute(message: Message, gasLimit: bigint): Run {
      const { intrinsic, floor } = gasOfData(message.data);
      const mark = storage.mark();
      meter.begin(message.to);
      meter.charge(intrinsic);
      const answer = attempt(message);
      const { used, refund } = meter.end();
      const gasNeeded = BigInt(Math.max(used, floor));
      const { emitted: logs } = world;
      if (gasNeeded > gasLimit) {
        storage.revertTo(mark);
        const failed = { isSuccess: false, output: '0x', reason: null, logs: [] } as const;
        return { ...failed, gasUsed: gasLimit, gasNeeded };
      }
      const gasUsed = BigInt(gasPaid(used, answer.isSuccess ? refund : 0, floor));
      return { ...answer, logs, gasUsed, gasNeeded };
    },
  };
}
