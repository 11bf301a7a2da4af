import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { anvilPath } from '../../../src/devnet/anvil.ts';

describe('the chain of a devnet', () => {
  it('is the program of the installed package', () => {
    expect(anvilPath()).toMatch(/anvil$/);
  });

  it('says what to install where the optional package is missing', () => {
    const elsewhere = () => createRequire('/nowhere/a-file.js');
    expect(() => anvilPath(elsewhere)).toThrow(
      /not installed for .*npm install @foundry-rs\/anvil/,
    );
  });
});
