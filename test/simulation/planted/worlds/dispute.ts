/** Worlds in which the defects of `../dispute.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const DISPUTE_WORLDS: Readonly<Record<string, Part>> = {};
