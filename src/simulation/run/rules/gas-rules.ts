/** The rules for gas: that it is there when it must be spent, and that no cheat makes others spend it. */
import type { Address } from '../../../basics/hex.ts';
import type { Counts } from '../../invariants/counts.ts';
import { createServed } from '../../invariants/locks/served.ts';
import { createAmplification, type GasFigures } from '../../invariants/money/amplification.ts';
import { type Burdens, createBurdens } from '../../invariants/money/burdens.ts';
import { createEscrow } from '../../invariants/money/escrow.ts';
import type { Ledger } from '../../invariants/money/ledger.ts';
import type { OwnChannel } from '../../invariants/money/own-channels.ts';
import type { Facts, Oracle } from '../../invariants/oracle.ts';
import { callName } from '../figures/call-names.ts';
import type { World } from '../world.ts';

type Options = {
  facts: Facts;
  world: Pick<World, 'chain'>;
  ledger: Pick<Ledger, 'isInitiator' | 'claimOf'>;
  counted: Counts['counted'];
  /** Whether something has kept the node from its work since this block. */
  isExcused(who: string, sinceBlock: bigint): boolean;
  /** The cheat that has this key or account; null: none. */
  cheatOf(address: Address): string | null;
};
export type CheatFigures = { name: string } & GasFigures & Burdens;
/**
 * `cheats`: what each cheat spent, and made others spend. `carried`: to be called with each payload that goes from one
 * address to another.
 */
export type GasRules = {
  rules: Oracle[];
  cheats(): CheatFigures[];
  carried(from: Address, to: Address, bytes: number): void;
};

export function createGasRules(options: Options): GasRules {
  const { facts, world, ledger, counted, isExcused, cheatOf } = options;
  const { chain } = world;
  const common = {
    ...facts,
    ...ledger,
    isExcused,
    cheatOf,
    registry: chain.contracts.secretRegistryAddress,
    nameOf: ({ data }: { data: `0x${string}` }) => callName(data),
    nonceOf: chain.machine.nonces.get,
    usualTip: () => chain.weather().usualTip,
    block: chain.block,
  };
  const { oracle: amplification, channels, figuresOf, names } = createAmplification(common);
  const burdens = createBurdens({ ...common, channelAt: channels.at });
  const served = createServed({
    ...common,
    channelsOf({ address: own }) {
      const open = channels.of(own).filter(({ id }) => chain.channelOf(id)?.state === 'opened');
      const isStrange = ({ sides, wantedBy }: OwnChannel) =>
        !wantedBy.has(own) && sides.some((side) => cheatOf(side) !== null);
      const unwanted = open.filter(isStrange).length;
      return { honest: BigInt(open.length - unwanted), unwanted };
    },
  });
  const rules = [
    counted([35], createEscrow(common)),
    counted([36], amplification),
    counted([36], burdens.oracle),
    counted([37], served),
  ];
  const figures = (name: string) => ({ name, ...figuresOf(name), ...burdens.at(name) });
  return {
    rules,
    cheats: () => [...new Set([...names(), ...burdens.names()])].map(figures),
    carried: burdens.carried,
  };
}
