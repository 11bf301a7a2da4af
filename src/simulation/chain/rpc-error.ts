import type { Hex } from '../../basics/hex.ts';

/** An error that an endpoint answers instead of a result. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
