/** Worlds in which the defects of `../withdraw.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const WITHDRAW_WORLDS: Readonly<Record<string, Part>> = {};
