import {
  BaseError,
  encodeErrorResult,
  HttpRequestError,
  InternalRpcError,
  InvalidInputRpcError,
  parseAbi,
  RpcRequestError,
  TimeoutError,
  TransactionRejectedRpcError,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { describe as describeError } from '../../../src/chain/describe.ts';
import { classify, isUnreachable, revertReason } from '../../../src/chain/errors.ts';

const url = 'http://user:secret-key@example.test';
const rpcError = (code: number, message: string, data?: unknown) =>
  new RpcRequestError({ body: {}, error: { code, message, data }, url });
/** As viem hands on what an endpoint answers to `eth_sendRawTransaction`. */
const rejected = (message: string) => new TransactionRejectedRpcError(rpcError(-32003, message));
const invalid = (message: string) => new InvalidInputRpcError(rpcError(-32000, message));
const internal = (message: string, data?: unknown) =>
  new InternalRpcError(rpcError(-32603, message, data));
const vmError = (data: unknown) => rpcError(-32015, 'VM execution error.', data);

describe('classify', () => {
  it.each([
    [
      'lack of gas money',
      rejected('Insufficient funds for gas * price + value'),
      'insufficient_gas',
    ],
    ['lack of gas money, geth', invalid('insufficient funds for transfer'), 'insufficient_gas'],
    ['a revert', rpcError(3, 'execution reverted: TN: deposit limit'), 'reverted'],
    ['a nonce that is used up', invalid('nonce too low: next nonce 7'), 'nonce_too_low'],
    ['a transaction sent twice, anvil', rejected('transaction already imported'), 'already_known'],
    ['a transaction sent twice, geth', invalid('already known'), 'already_known'],
    [
      'a replacement without a better price',
      invalid('replacement transaction underpriced'),
      'underpriced',
    ],
    [
      'a price below the base fee',
      rejected('max fee per gas less than block base fee'),
      'underpriced',
    ],
    ['a line that is cut', new HttpRequestError({ url }), 'unavailable'],
    ['a gateway error', new HttpRequestError({ url, status: 502 }), 'unavailable'],
    ['silence', new TimeoutError({ body: {}, url }), 'unavailable'],
    ['too many requests', rpcError(429, 'slow down'), 'unavailable'],
    ['an ended connection', new DOMException('stopped', 'AbortError'), 'unavailable'],
    ['a transaction sent twice, a gateway', internal('Known transaction (0xab)'), 'already_known'],
    ['a revert, nethermind', vmError('Reverted 0x'), 'reverted'],
    [
      'a revert, a gateway around geth',
      internal('oops', { code: 3, message: 'execution reverted' }),
      'reverted',
    ],
    ['a revert whose text the contract chose', rpcError(3, 'already known'), 'reverted'],
    ['a failure inside the endpoint', internal('database is locked'), 'unavailable'],
    ['any other refusal', invalid('transaction type not allowed here'), 'unknown'],
    ['what viem did not throw', new TypeError('x is undefined'), 'unknown'],
    ['no error at all', null, 'unknown'],
  ] as const)('calls %s by its name', (_what, error, kind) => {
    expect(classify(error)).toBe(kind);
    if (error instanceof BaseError) {
      expect(classify(new BaseError('outer', { cause: error }))).toBe(kind);
    }
  });
});

describe('errors for people', () => {
  it('tell the reason of a revert without control characters and at a bounded length', () => {
    const reason = revertReason(
      new BaseError('outer', {
        cause: invalid(`execution reverted: \u001b[31m${'x'.repeat(999)}`),
      }),
    );
    expect(reason).toMatch(/^[\x20-\x7e]{1,200}$/);
  });

  it('tell the reason that some programs leave in the bytes of the contract', () => {
    const encoded = encodeErrorResult({
      abi: parseAbi(['error Error(string)']),
      args: ['TN: deposit limit'],
    });
    expect(revertReason(vmError(`Reverted ${encoded}`))).toBe(
      'VM execution error.: TN: deposit limit',
    );
    expect(revertReason(vmError('Reverted 0x08c379a0ffff'))).toBe('VM execution error.');
  });

  it.each([
    [
      'its words',
      rpcError(-32000, 'missing trie node'),
      'the endpoint answered: missing trie node',
    ],
    [
      'that it wants to be left alone, and how long',
      new HttpRequestError({
        url,
        status: 429,
        details: 'rate limited',
        headers: new Headers({ 'retry-after': '3600' }),
      }),
      'the endpoint answered with HTTP status 429, to be asked again after 3600 seconds: rate limited',
    ],
    [
      'that it is none of a chain',
      new HttpRequestError({ url, cause: new SyntaxError('Unexpected token <') }),
      'the endpoint answered with something that is no JSON',
    ],
    [
      'that nobody answers',
      new HttpRequestError({ url, details: 'fetch failed' }),
      'the endpoint does not answer: fetch failed',
    ],
  ])('tell of an endpoint %s', (_what, error, told) => {
    expect(describeError(error)).toBe(told);
  });

  it('keep the words of an endpoint short, on one line, and without its key', () => {
    const key = 'abcdef0123456789';
    const words = `no such key: ${key}\r\n\u001b[2J${'x'.repeat(999)}`;
    const answer = new RpcRequestError({
      body: {},
      error: { code: -32000, message: words },
      url: `https://example.test/v3/${key}`,
    });
    expect(describeError(answer)).toMatch(/^[\x20-\x7e]{1,200}$/);
    expect(describeError(answer)).toContain('no such key: (hidden)??');
  });

  it('never show the address of the endpoint', () => {
    for (const error of [new HttpRequestError({ url }), rpcError(-32000, 'no')]) {
      expect(error.message).toContain('example.test');
      expect(describeError(error)).not.toContain('example.test');
    }
  });
});

describe('isUnreachable', () => {
  it('tells a refused connection from an endpoint that answers with an error', () => {
    expect(isUnreachable(new HttpRequestError({ url }))).toBe(true);
    expect(isUnreachable(new HttpRequestError({ url, status: 413 }))).toBe(false);
    expect(isUnreachable(new HttpRequestError({ url, cause: new SyntaxError('<') }))).toBe(false);
    expect(isUnreachable(rpcError(-32005, 'range too large'))).toBe(false);
  });
});
