/** Worlds in which the defects of `../locks.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const LOCK_WORLDS: Readonly<Record<string, Part>> = {};
