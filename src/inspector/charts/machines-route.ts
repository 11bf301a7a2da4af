/** `/inspector/machines`: the charts as data, and each of them as JSON, Mermaid or SVG. */
import { createHash } from 'node:crypto';
import {
  answered,
  type InspectorAnswer,
  type InspectorRoute,
  routeRefusal,
} from '../base/route.ts';
import type { MachineDefinition, Machines } from '../wire.ts';
import { machineDefinitions } from './definitions.ts';
import { createDrawings } from './laying-out.ts';
import { chartMermaid } from './mermaid.ts';
import { litStates } from './states.ts';
import { chartSvg, SVG_STYLE } from './svg.ts';

const FORMAT = /\.(json|mmd|svg)$/;
/** The SVG may use its own style and nothing else, whichever program opens it. */
const SVG_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(SVG_STYLE).digest('base64')}'; frame-ancestors 'none'`;

/** Answers `machines` and `machines/NAME` with `.json`, `.mmd` or `.svg`; `?state=` marks a state in the last two. */
export function machinesRoute(): InspectorRoute {
  const drawings = createDrawings();
  const machines = machineDefinitions();

  async function svg(
    definition: MachineDefinition,
    lit: ReadonlySet<string>,
  ): Promise<InspectorAnswer> {
    const body = chartSvg(await drawings(definition), definition.description, lit);
    return { ok: true, body, type: 'image/svg+xml; charset=utf-8', policy: SVG_POLICY };
  }

  return ({ path, query }) => {
    const [first, name, ...more] = path;
    if (first !== 'machines' || more.length > 0) return null;
    if (name === undefined) return answered({ machines } satisfies Machines);
    const wanted = name.replace(FORMAT, '');
    const definition = machines.find(({ machine }) => machine === wanted);
    if (definition === undefined) return routeRefusal(404, 'There is no such machine.');
    const lit = litStates(definition.root, query.get('state') ?? '');
    if (lit === null) return routeRefusal(400, { state: ['Must be a state of this machine.'] });
    switch (FORMAT.exec(name)?.[1]) {
      case 'mmd':
        return { ok: true, body: chartMermaid(definition, lit), type: 'text/plain; charset=utf-8' };
      case 'svg':
        return svg(definition, lit);
      default:
        return answered(definition);
    }
  };
}
