/** Worlds in which the defects of `../payments.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const PAYMENT_WORLDS: Readonly<Record<string, Part>> = {};
