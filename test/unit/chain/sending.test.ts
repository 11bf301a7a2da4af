import { describe, expect, it } from 'vitest';
import { registerSecretsCall } from '../../../src/chain/queue/calls.ts';
import { gasLimit } from '../../../src/chain/queue/sending.ts';
import { STRANGER, secretOf } from '../../support/makers.ts';

describe('the gas limit of a registration', () => {
  const call = registerSecretsCall(
    STRANGER,
    Array.from({ length: 100 }, (_, index) => secretOf(index + 1)),
  );

  it('doubles with each time that it was mined without effect', () => {
    expect(gasLimit(call, 2_500_000n, 1)).toBe(2n * gasLimit(call, 2_500_000n, 0));
  });

  it('stays within what a block takes of one transaction', () => {
    expect(gasLimit(call, 2_500_000n, 3)).toBe(16_777_216n);
  });
});
