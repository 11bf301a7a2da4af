/** Worlds in which the defects of `../store.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const STORE_WORLDS: Readonly<Record<string, Part>> = {};
