/** A queue of nodes by their distance, smallest first, in typed arrays that are used again and again. */

export type Heap = { size: number; keys: Float64Array; items: Int32Array };

export function createHeap(): Heap {
  return { size: 0, keys: new Float64Array(256), items: new Int32Array(256) };
}

/** The smallest key, Infinity when there is none. */
export function smallest(heap: Heap): number {
  return heap.size === 0 ? Number.POSITIVE_INFINITY : (heap.keys[0] ?? 0);
}

export function push(heap: Heap, key: number, item: number): void {
  if (heap.size === heap.keys.length) grow(heap);
  const { keys, items } = heap;
  let at = heap.size++;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = keys[parent] ?? 0;
    if (above <= key) break;
    keys[at] = above;
    items[at] = items[parent] ?? 0;
    at = parent;
  }
  keys[at] = key;
  items[at] = item;
}

/** Takes the item with the smallest key out; there must be one. */
export function pop(heap: Heap): number {
  const { keys, items } = heap;
  const taken = items[0] ?? 0;
  const size = --heap.size;
  const key = keys[size] ?? 0;
  const item = items[size] ?? 0;
  let at = 0;
  for (let child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && (keys[child + 1] ?? 0) < (keys[child] ?? 0)) child += 1;
    const below = keys[child] ?? 0;
    if (below >= key) break;
    keys[at] = below;
    items[at] = items[child] ?? 0;
    at = child;
  }
  keys[at] = key;
  items[at] = item;
  return taken;
}

function grow(heap: Heap): void {
  const keys = new Float64Array(2 * heap.keys.length);
  const items = new Int32Array(2 * heap.items.length);
  keys.set(heap.keys);
  items.set(heap.items);
  heap.keys = keys;
  heap.items = items;
}
