/** Worlds in which the defects of `../transactions.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const TRANSACTION_WORLDS: Readonly<Record<string, Part>> = {};
