import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAbi, toEventSelector, toFunctionSelector } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CompiledContract,
  compileSources,
  renderContract,
  SOLIDITY_CONTRACTS,
  sourceFolder,
} from '../../src/contracts/solidity.ts';
import * as generation040 from './generation-040.ts';

const LARGEST_CODE = 24_576;

let compiled: Map<string, CompiledContract>;

function contract(name: string): CompiledContract {
  const found = compiled.get(name);
  if (found === undefined) throw new Error(`no contract ${name}`);
  return found;
}

beforeAll(() => {
  compiled = compileSources();
}, 120_000);

describe('the generated files', () => {
  it.each(SOLIDITY_CONTRACTS)('hold what the sources of %s compile to', (name) => {
    const file = join(sourceFolder(), 'generated', `${name}.ts`);
    expect(readFileSync(file, 'utf8') === renderContract(name, contract(name))).toBe(true);
  });

  it.each(SOLIDITY_CONTRACTS)('hold a %s that is small enough for a chain to accept', (name) => {
    expect(contract(name).deployedSize).toBeLessThanOrEqual(LARGEST_CODE);
  });
});

describe('the interface', () => {
  const interfaces = Object.entries(generation040.INTERFACES);

  it.each(interfaces)('of %s offers every function and event of generation 0.40', (name, lines) => {
    const ours = contract(name).abi;
    const selectors = ours.flatMap((item) => {
      if (item.type === 'function') return [`${toFunctionSelector(item)} ${item.stateMutability}`];
      return item.type === 'event' ? [toEventSelector(item)] : [];
    });
    const wanted = parseAbi([...lines]).map((item) => {
      if (item.type === 'function') return `${toFunctionSelector(item)} ${item.stateMutability}`;
      if (item.type === 'event') return toEventSelector(item);
      throw new Error(`unexpected ${item.type}`);
    });
    expect(wanted.length).toBe(lines.filter((line) => !line.startsWith('struct')).length);
    expect(selectors).toEqual(expect.arrayContaining(wanted));
  });

  it.each(interfaces)('of %s marks the same event fields as topics', (name, lines) => {
    const topics = (abi: readonly { type: string }[]) =>
      abi.flatMap((item) =>
        item.type === 'event' && 'inputs' in item && 'name' in item && Array.isArray(item.inputs)
          ? [
              `${item.name} ${item.inputs.map((input) => `${input.name}:${input.indexed ?? false}`)}`,
            ]
          : [],
      );
    expect(topics(contract(name).abi)).toEqual(
      expect.arrayContaining(topics(parseAbi([...lines]))),
    );
  });
});
