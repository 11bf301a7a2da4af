/**
 * Loads modules of the node into this process, with a defect planted in their source. Each load makes modules
 * of its own: what they remember is shared with nobody. Packages are loaded as ever and shared by all.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type HotPayload, moduleRunnerTransform, transformWithOxc } from 'vite';
import { ESModulesEvaluator, ModuleRunner } from 'vite/module-runner';
import { type PlantedBug, patched } from './patch.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The compiled code by file and source: most files are the same in every load. */
const executable = new Map<string, Promise<string>>();

/**
 * The module at this path from the root of the repository, with all that it imports loaded anew. Null: as it
 * stands. Throws when an edit does not fit, or when the module does not load the file that it is for.
 */
export async function importWith<T>(bug: PlantedBug | null, modulePath: string): Promise<T> {
  if (bug !== null) await assertFits(bug);
  const loaded = new Set<string>();
  const runner = new ModuleRunner(
    {
      transport: { invoke: (payload) => answered(payload, bug, loaded) },
      hmr: false,
      sourcemapInterceptor: false,
    },
    new ESModulesEvaluator(),
  );
  const module = await runner.import<T>(`${ROOT}${modulePath}`);
  const missing = bug?.edits.find(({ file }) => !loaded.has(file));
  if (missing !== undefined)
    throw new Error(`${bug?.id} is not planted: ${modulePath} does not load ${missing.file}`);
  return module;
}

/** Throws unless each edit has its one place. */
async function assertFits(bug: PlantedBug): Promise<void> {
  for (const file of new Set(bug.edits.map((edit) => edit.file)))
    patched(await readFile(`${ROOT}${file}`, 'utf8'), file, bug);
}

/** Throws when a file does not parse with the defect in it. */
export async function assertParses(bug: PlantedBug): Promise<void> {
  for (const file of new Set(bug.edits.map((edit) => edit.file))) await codeOf(file, bug);
}

type Answer = { result: unknown } | { error: { message: string } };

/** The two questions of a module runner: what is built into Node, and what a module is made of. */
async function answered(
  payload: HotPayload,
  bug: PlantedBug | null,
  loaded: Set<string>,
): Promise<Answer> {
  const { name, data } = 'data' in payload ? payload.data : { name: payload.type, data: [] };
  if (name === 'getBuiltins') return { result: [/^node:/] };
  const [url, importer] = data;
  if (name !== 'fetchModule' || typeof url !== 'string')
    return { error: { message: `the loader cannot answer ${name}` } };
  const path = pathOf(url, typeof importer === 'string' ? importer : null);
  if (path === null) return { result: { externalize: url, type: 'module' } };
  const file = path.slice(ROOT.length);
  loaded.add(file);
  const code = await codeOf(file, bug);
  return { result: { code, file: path, id: path, url: path, invalidate: false } };
}

/** Null: a package. */
function pathOf(url: string, importer: string | null): string | null {
  if (url.startsWith(ROOT)) return url;
  if (!url.startsWith('.') || importer === null) return null;
  return fileURLToPath(new URL(url, pathToFileURL(importer)));
}

async function codeOf(file: string, bug: PlantedBug | null): Promise<string> {
  const source = await readFile(`${ROOT}${file}`, 'utf8');
  const text = bug === null ? source : patched(source, file, bug);
  const key = `${file}\n${text}`;
  const known = executable.get(key) ?? executableOf(file, text);
  executable.set(key, known);
  return known;
}

async function executableOf(file: string, source: string): Promise<string> {
  const { code } = await transformWithOxc(source, `${ROOT}${file}`, { sourcemap: false });
  const transformed = await moduleRunnerTransform(code, null, `${ROOT}${file}`, code);
  if (transformed === null) throw new Error(`${file} cannot be executed`);
  return transformed.code;
}
