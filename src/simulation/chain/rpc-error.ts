import type { Hex } from '../../protocol/hex.ts';

/** What an endpoint answers in place of a result. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
