/** A folder is a room with a door: of two folders, one may use the other, and not the other way round. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const top = fileURLToPath(new URL('..', import.meta.url));

/** Each folder with those that its files import from. What only a type is imported from is not loaded. */
function folderGraph(files: readonly string[], textOf: (file: string) => string) {
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    const own = dirname(file);
    const used = graph.get(own) ?? new Set();
    graph.set(own, used);
    for (const [, names = '', path = ''] of textOf(file).matchAll(IMPORT)) {
      const target = dirname(join(own, path));
      if (target !== own && !ONLY_TYPES.test(names)) used.add(target);
    }
  }
  return graph;
}

const IMPORT = /(?:^|\n)import\s(?!type\s)([^'";]*?)from\s+['"](\.[^'"]+)['"]/g;
const ONLY_TYPES = /^\{\s*(?:type\s+\w+(?:\s+as\s+\w+)?,?\s*)+\}\s*$/;

/** The folders from which there is a way back to themselves. */
function inCircles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reachable = (from: string) => {
    const found = new Set<string>();
    const visit = (folder: string) => {
      for (const next of graph.get(folder) ?? [])
        if (!found.has(next)) {
          found.add(next);
          visit(next);
        }
    };
    visit(from);
    return found;
  };
  return [...graph.keys()].filter((folder) => reachable(folder).has(folder));
}

describe('the house', () => {
  it('has no circle between folders', () => {
    const files = ['src', 'machines'].flatMap((folder) =>
      readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => `${folder}/${name}`),
    );
    const graph = folderGraph(files, (file) => readFileSync(join(top, file), 'utf8'));
    expect(graph.size).toBeGreaterThan(100);
    expect(inCircles(graph)).toEqual([]);
  });

  it('finds a circle, and none where only types are imported', () => {
    const texts: Record<string, string> = {
      'a/one.ts': "import { two } from '../b/two.ts';\n",
      'b/two.ts': "import {\n  type Three,\n  three,\n} from '../c/three.ts';\n",
      'c/three.ts': "import { one } from '../a/one.ts';\n",
    };
    const circles = () => inCircles(folderGraph(Object.keys(texts), (file) => texts[file] ?? ''));
    expect(circles()).toEqual(['a', 'b', 'c']);
    texts['c/three.ts'] = "import { type One, type Other } from '../a/one.ts';\n";
    expect(circles()).toEqual([]);
    texts['c/three.ts'] = "import type { One } from '../a/one.ts';\n";
    expect(circles()).toEqual([]);
  });
});
