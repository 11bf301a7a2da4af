/** The rules for gas: that it is there when it must be spent, and that no cheat makes others spend it. */
import type { Address } from '../../../basics/hex.ts';
import type { Counts } from '../../invariants/counts.ts';
import { createServed } from '../../invariants/locks/served.ts';
import { createAmplification, type GasFigures } from '../../invariants/money/amplification.ts';
import { type Burdens, createBurdens } from '../../invariants/money/burdens.ts';
import { createEscrow } from '../../invariants/money/escrow.ts';
import { createForced } from '../../invariants/money/forced.ts';
import { createGasTold } from '../../invariants/money/gas-told.ts';
import type { Ledger } from '../../invariants/money/ledger.ts';
import type { OwnChannel } from '../../invariants/money/own-channels.ts';
import type { Facts, Oracle } from '../../invariants/oracle.ts';
import type { World } from '../world.ts';

type Options = {
  facts: Facts;
  ledger: Ledger;
  world: Pick<World, 'chain'>;
  counted: Counts['counted'];
};
type CheatFigures = { name: string } & GasFigures & Burdens;
/**
 * `cheats`: what each cheat spent, and made others spend. `carried`: to be called with each payload that goes from one
 * address to another.
 */
export type GasRules = {
  rules: Oracle[];
  cheats(): CheatFigures[];
  carried(from: Address, to: Address, bytes: number): void;
};

export function createGasRules({ facts, ledger, world: { chain }, counted }: Options): GasRules {
  const { cheatOf, isOpen } = facts;
  const common = { ...ledger, ...facts, nonceOf: chain.machine.nonces.get, block: chain.block };
  const { oracle: amplification, channels, figuresOf, names } = createAmplification(common);
  const burdens = createBurdens({ ...common, channelAt: channels.at });
  const served = createServed({
    ...common,
    channelsOf({ address: own }) {
      const open = channels.of(own).filter(({ id }) => isOpen(id));
      const isStrange = ({ sides, wantedBy }: OwnChannel) =>
        !wantedBy.has(own) && sides.some((side) => cheatOf(side) !== null);
      const unwanted = open.filter(isStrange).length;
      return { honest: BigInt(open.length - unwanted), unwanted };
    },
  });
  const escrow = createEscrow(common);
  const told = createGasTold({ ...common, ...escrow, channelsOf: channels.of });
  const rules = [
    counted([35], escrow.oracle),
    counted([36], amplification),
    counted([36], burdens.oracle),
    counted([36], createForced()),
    counted([37], served),
    counted([28], told),
  ];
  const figures = (name: string) => ({ name, ...figuresOf(name), ...burdens.at(name) });

  return {
    rules,
    cheats: () => [...new Set([...names(), ...burdens.names()])].map(figures),
    carried: burdens.carried,
  };
}
