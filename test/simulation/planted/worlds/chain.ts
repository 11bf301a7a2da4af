/** Worlds in which the defects of `../chain.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const CHAIN_WORLDS: Readonly<Record<string, Part>> = {};
