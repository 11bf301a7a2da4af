/** The details of one message, event or effect, with links to the steps that sent and received it. */
import { valuePath } from '../history/diff.ts';
import { isBranch, redactionOf, showWhole } from '../history/values.ts';
import type { Arrow, DiagramProps } from './arrows.ts';
import type { MarkPlace } from './marks.ts';

type Props = Pick<DiagramProps, 'linkTo' | 'traceOf'> & { arrow: Arrow };

export function ArrowDetail({ arrow, linkTo, traceOf }: Props) {
  const { sent, taken, body } = arrow;
  const trace = traceOf?.(arrow) ?? null;
  return (
    <div class="seq-open">
      <p class="seq-places">
        {sent !== null && <StepLink word="Said in" place={sent} linkTo={linkTo} />}
        {taken !== null && <StepLink word="Taken in" place={taken} linkTo={linkTo} />}
        {trace !== null && <a href={trace.href}>{trace.name}</a>}
      </p>
      <dl class="seq-fields">
        {leavesOf(body).map(({ path, value }) => (
          <div key={path}>
            <dt>{path}</dt>
            <dd>
              <Leaf value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

type LinkProps = { word: string; place: MarkPlace; linkTo: DiagramProps['linkTo'] };

function StepLink({ word, place, linkTo }: LinkProps) {
  const href = linkTo(place);
  const text = `step ${place.seq}`;
  const time = new Date(place.time).toISOString().slice(11, 23);
  return (
    <span>
      {word} {href === null ? text : <a href={href}>{text}</a>}{' '}
      <span class="mark-quiet">
        #{place.block.toString()} · {time}
      </span>
    </span>
  );
}

function Leaf({ value }: { value: unknown }) {
  const redaction = redactionOf(value);
  if (redaction !== null) return <span class="seq-hidden">{redaction} hidden</span>;
  return <>{showWhole(value)}</>;
}

type LeafOf = { path: string; value: unknown };

/** Every value by its path, except lists and objects that contain others. */
function leavesOf(value: unknown, path: readonly string[] = []): LeafOf[] {
  if (!isBranch(value) || Object.entries(value).length === 0)
    return [{ path: valuePath(path), value }];
  return Object.entries(value).flatMap(([name, field]) => leavesOf(field, [...path, name]));
}
