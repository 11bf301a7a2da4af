/**
 * Loads modules of the node into this process, with a defect planted in their source. The changed files and all that
 * import them are loaded anew each time; the rest is loaded once for all defects, and packages as ever.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type HotPayload, moduleRunnerTransform, transformWithOxc } from 'vite';
import { ESModulesEvaluator, ModuleRunner } from 'vite/module-runner';
import { type PlantedBug, patched } from './patch.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The compiled code by file and source: most files are the same in every load. */
const executable = new Map<string, Promise<string>>();
/** The modules as they stand, by the path of the one that was asked for. */
const standing = new Map<string, ModuleRunner>();
/** Those that were loaded with the files of a folder in place of their own, by that folder. */
const replaced = new Map<string, ModuleRunner>();

/**
 * The module at this path from the root of the repository. Null: as it stands. Throws when an edit does not fit, or when
 * the module does not load the file that it is for.
 */
export async function importWith<T>(bug: PlantedBug | null, modulePath: string): Promise<T> {
  if (bug !== null) await assertFits(bug);
  const path = `${ROOT}${modulePath}`;
  const known =
    standing.get(path) ??
    runnerOf(
      (file) => codeOf(file, null),
      () => null,
    );
  standing.set(path, known);
  const module = await known.import<T>(path);
  if (bug === null) return module;
  const anew = importersOf(bug, known);
  const missing = bug.edits.find(({ file }) => !anew.has(`${ROOT}${file}`));
  if (missing !== undefined)
    throw new Error(`${bug.id} is not planted: ${modulePath} does not load ${missing.file}`);
  const codeWith = async (file: string) => (anew.has(file) ? codeOf(file, bug) : null);
  const shared = (file: string) => (file.startsWith(ROOT) ? known.import(file) : null);
  return runnerOf(codeWith, shared).import<T>(path);
}

/** The module at this path from the root of the repository, with those files of it that are in `folder` in place of its own. */
export async function importFrom<T>(folder: string, modulePath: string): Promise<T> {
  const known =
    replaced.get(folder) ??
    runnerOf(
      (file) => replacedCode(file, folder),
      () => null,
    );
  replaced.set(folder, known);
  return known.import<T>(`${ROOT}${modulePath}`);
}

async function replacedCode(path: string, folder: string): Promise<string> {
  const file = path.slice(ROOT.length);
  const other = `${ROOT}${folder}/${file}`;
  return executableOf(file, await readFile(existsSync(other) ? other : path, 'utf8'));
}

/** The changed files, and all that import them, as far as they are loaded. */
function importersOf({ edits }: PlantedBug, { evaluatedModules }: ModuleRunner): Set<string> {
  const found = new Set<string>();
  const left = edits.map(({ file }) => `${ROOT}${file}`);
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    const module = evaluatedModules.idToModuleMap.get(file);
    if (module === undefined || found.has(file)) continue;
    found.add(file);
    left.push(...module.importers);
  }
  return found;
}

/**
 * `codeAt`: what a file of the repository executes; null: it is not executed here. `shared`: what is loaded already of what is
 * not executed; null: it is loaded as ever.
 */
function runnerOf(
  codeAt: (path: string) => Promise<string | null>,
  shared: (path: string) => Promise<unknown> | null,
): ModuleRunner {
  const evaluator = new ESModulesEvaluator();
  const load = evaluator.runExternalModule.bind(evaluator);
  evaluator.runExternalModule = (path) => shared(path) ?? load(path);
  const transport = { invoke: (payload: HotPayload) => answered(payload, codeAt) };
  return new ModuleRunner({ transport, hmr: false, sourcemapInterceptor: false }, evaluator);
}

/** Throws unless each edit has its one place. */
async function assertFits(bug: PlantedBug): Promise<void> {
  for (const file of new Set(bug.edits.map((edit) => edit.file)))
    patched(await readFile(`${ROOT}${file}`, 'utf8'), file, bug);
}

/** Throws when a file does not parse with the defect in it. */
export async function assertParses(bug: PlantedBug): Promise<void> {
  for (const file of new Set(bug.edits.map((edit) => edit.file)))
    await codeOf(`${ROOT}${file}`, bug);
}

type Answer = { result: unknown } | { error: { message: string } };

/** The two questions of a module runner: what is built into Node, and what a module is made of. */
async function answered(
  payload: HotPayload,
  codeAt: (path: string) => Promise<string | null>,
): Promise<Answer> {
  const { name, data } = 'data' in payload ? payload.data : { name: payload.type, data: [] };
  if (name === 'getBuiltins') return { result: [/^node:/] };
  const [url, importer] = data;
  if (name !== 'fetchModule' || typeof url !== 'string')
    return { error: { message: `the loader cannot answer ${name}` } };
  const path = pathOf(url, typeof importer === 'string' ? importer : null);
  const code = path === null ? null : await codeAt(path);
  if (path === null || code === null)
    return { result: { externalize: path ?? url, type: 'module' } };
  return { result: { code, file: path, id: path, url: path, invalidate: false } };
}

/** Null: a package. */
function pathOf(url: string, importer: string | null): string | null {
  if (url.startsWith(ROOT)) return url;
  if (!url.startsWith('.') || importer === null) return null;
  return fileURLToPath(new URL(url, pathToFileURL(importer)));
}

async function codeOf(path: string, bug: PlantedBug | null): Promise<string> {
  const file = path.slice(ROOT.length);
  const source = await readFile(path, 'utf8');
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
