/** Compiles the Solidity sources beside this file. Used to generate ABI and bytecode, never by the node. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import solc from 'solc';
import * as v from 'valibot';
import type { Abi, Hex } from 'viem';

export type CompiledContract = {
  abi: Abi;
  /** Creation code without constructor arguments. */
  bytecode: Hex;
  /** The code that is there once it is created. */
  runtime: Hex;
  /** Bytes of deployed code; EIP-170 allows 24,576. */
  deployedSize: number;
};

/** The contracts whose ABI and bytecode are generated. */
export const SOLIDITY_CONTRACTS = [
  'CustomToken',
  'Deposit',
  'MonitoringService',
  'OneToN',
  'SecretRegistry',
  'ServiceRegistry',
  'TokenNetwork',
  'TokenNetworkRegistry',
  'TokenProbe',
  'UserDeposit',
] as const;

/** Their code is needed as it is while it runs. */
const NEVER_CREATED = new Set<string>(['TokenProbe']);

const SETTINGS = {
  optimizer: { enabled: true, runs: 20_000 },
  viaIR: true,
  evmVersion: 'cancun',
  // The code depends on the sources' meaning only, not on their comments.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
};
const OUTPUTS = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'];

/** `chain_id()` is not a view in the interface of generation 0.40, although it could be. */
const EXPECTED_WARNINGS = new Set(['2018']);

const Code = v.object({ object: v.string() });
const Contract = v.object({
  abi: v.custom<Abi>(Array.isArray),
  evm: v.object({ bytecode: Code, deployedBytecode: Code }),
});
const Diagnosis = v.object({
  errors: v.optional(
    v.array(v.object({ errorCode: v.optional(v.string()), formattedMessage: v.string() })),
    [],
  ),
});
const Output = v.object({ contracts: v.record(v.string(), v.record(v.string(), Contract)) });

/** The folder of the Solidity sources, also when this runs from the build output. */
export function sourceFolder(): string {
  let top = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(top, 'src', 'contracts', 'TokenNetwork.sol'))) {
    const above = dirname(top);
    if (above === top) throw new Error('the Solidity sources are not here: run from a checkout');
    top = above;
  }
  return join(top, 'src', 'contracts');
}

function readSources(): Record<string, { content: string }> {
  const folder = sourceFolder();
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol'));
  return Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }]),
  );
}

/**
 * Compiles every source, or only `file` (a name and a text, which may import our sources as "./Name.sol") and what it
 * needs. Throws with the compiler's text on any error or unexpected warning. Keyed by contract.
 */
export function compileSources(file?: {
  name: string;
  content: string;
}): Map<string, CompiledContract> {
  const sources = readSources();
  if (file !== undefined) sources[file.name] = { content: file.content };
  const outputSelection = { [file?.name ?? '*']: { '*': OUTPUTS } };
  const input = { language: 'Solidity', sources, settings: { ...SETTINGS, outputSelection } };
  const text = solc.compile(JSON.stringify(input));
  const output: unknown = JSON.parse(text);
  const { errors } = v.parse(Diagnosis, output);
  const complaints = errors.filter((found) => !EXPECTED_WARNINGS.has(found.errorCode ?? ''));
  if (complaints.length > 0) {
    throw new Error(complaints.map((one) => one.formattedMessage).join('\n'));
  }
  const compiled = new Map<string, CompiledContract>();
  for (const file of Object.values(v.parse(Output, output).contracts)) {
    for (const [name, { abi, evm }] of Object.entries(file)) {
      const deployedSize = evm.deployedBytecode.object.length / 2;
      const bytecode: Hex = `0x${evm.bytecode.object}`;
      const runtime: Hex = `0x${evm.deployedBytecode.object}`;
      compiled.set(name, { abi, bytecode, runtime, deployedSize });
    }
  }
  return compiled;
}

/** The text of `generated/<name>.ts`. */
export function renderContract(name: string, contract: CompiledContract): string {
  const { abi } = contract;
  const kind = NEVER_CREATED.has(name) ? 'Runtime' : 'Bytecode';
  const code = contract[kind === 'Runtime' ? 'runtime' : 'bytecode'];
  const prefix = name.charAt(0).toLowerCase() + name.slice(1);
  const entries = abi.map((entry) => `  ${JSON.stringify(entry)},`).join('\n');
  return `// Generated from ../${name}.sol by \`npm run build:contracts\`: do not edit.
import type { Hex } from 'viem';

export const ${prefix}Abi = [
${entries}
] as const;

export const ${prefix}${kind}: Hex =
  '${code}';
`;
}
