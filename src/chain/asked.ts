/** Asks a contract, and answers why it could not be read. */
import type { Code, Failure, Result } from '../protocol/codes.ts';
import { describe } from './describe.ts';
import { classify, isNoContract } from './errors.ts';

const TRIES = 3;

/**
 * Tries three times; what the contract itself refuses, or answers in another form, is not repeated. `refusal`: the code
 * when `whom` answers, but not as asked.
 */
export async function asked<T>(
  whom: string,
  read: () => Promise<T>,
  refusal: Code = 'chain_unavailable',
): Promise<Result<T>> {
  let failure: Failure = { ok: false, code: 'chain_unavailable' };
  for (let tried = 0; tried < TRIES; tried++) {
    try {
      return { ok: true, value: await read() };
    } catch (error) {
      if (isNoContract(error) || classify(error) === 'reverted') {
        return { ok: false, code: refusal, detail: `${whom} does not answer as it should` };
      }
      failure = {
        ok: false,
        code: 'chain_unavailable',
        detail: `no answer from ${whom}: ${describe(error)}`,
      };
    }
  }
  return failure;
}
