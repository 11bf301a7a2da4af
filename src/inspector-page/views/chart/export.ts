/** Files of a chart: as the node exports it, and as the page shows it now. */
import type { InspectorSource } from '../../../inspector/source.ts';
import { saveFile } from '../../../page-parts/save-file.ts';
import type { Size } from '../drawing/camera.ts';

const KEPT = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
] as const;

/** `isLive`: the drawing shows the present, not an earlier step. */
export function saveDrawing(
  svg: SVGSVGElement | null,
  drawing: (Size & { machine: string }) | null,
  isLive: boolean,
): void {
  if (svg === null || drawing === null) return;
  saveFile(drawingFile(svg, drawing), `${drawing.machine}-${isLive ? 'now' : 'then'}.svg`);
}

/** A machine with the state that its actor is in, as text. */
export type MachineState = { machine: string; state: string };

const TYPES = { svg: 'image/svg+xml', mmd: 'text/plain', json: 'application/json' };

/** Saves the chart as the node exports it. A plain link would not do: it cannot send the token. */
export async function saveExport(
  source: InspectorSource,
  standing: MachineState,
  ending: keyof typeof TYPES,
): Promise<void> {
  const text = await exportOf(source, standing, ending);
  saveFile(new Blob([text], { type: TYPES[ending] }), `${standing.machine}.${ending}`);
}

/** The chart as the node exports it, with the state marked. */
export function exportOf(
  source: InspectorSource,
  { machine, state }: MachineState,
  ending: keyof typeof TYPES,
): Promise<string> {
  return source.text(`machines/${machine}.${ending}`, { state });
}

/** The whole drawing as an SVG file, with its present colours. */
function drawingFile(svg: SVGSVGElement, { width, height }: Size): Blob {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) throw new Error('the copy of the drawing is none');
  const originals = [svg, ...svg.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, at) => {
    const original = originals[at];
    if (original === undefined) return;
    const style = getComputedStyle(original);
    for (const name of KEPT) element.setAttribute(name, style.getPropertyValue(name));
    for (const name of ['tabindex', 'role']) element.removeAttribute(name);
  });
  for (const dot of copy.querySelectorAll('.moving-dot')) dot.remove();
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
  copy.prepend(ground);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' });
}
