/** The channels as a list: what the drawing shows, in words, for the keyboard and for who sees no colours. */
import { grouped } from '../../basics/digits.ts';
import { AmountText } from '../../page-parts/amount.tsx';
import { figureOf } from '../../page-parts/figure.ts';
import { durationText } from '../../page-parts/time-left.ts';
import type { Wire, WireEnd } from './wires.ts';

type ButtonsProps = {
  /** Between two blocks; null: not known. */
  blockSeconds: number | null;
  wires: readonly Wire[];
  chosen: string | null;
  onChoose(id: string): void;
};

const VERDICTS: Record<Wire['verdict'], string> = {
  agreed: '',
  alone: ' · one side only',
  away: ' · not compared: a side does not answer',
  underWay: ' · on its way',
  disputed: ' · DISAGREE',
};

export function ChannelButtons({ wires, blockSeconds, chosen, onChoose }: ButtonsProps) {
  return (
    <div class="network-channels">
      {wires.map((wire) => (
        <button
          key={wire.channel.id}
          type="button"
          aria-pressed={wire.channel.id === chosen}
          onClick={() => onChoose(wire.channel.id)}
        >
          {wire.isOpen ? (
            <Paying wire={wire} />
          ) : (
            <Closed wire={wire} blockSeconds={blockSeconds} />
          )}
          {VERDICTS[wire.verdict]}
        </button>
      ))}
    </div>
  );
}

function Paying({ wire: { ends, token } }: { wire: Wire }) {
  const [a, b] = ends;
  return (
    <>
      <CanPay end={a} token={token} /> · <CanPay end={b} token={token} />
    </>
  );
}

function CanPay({ end: { name, said }, token }: { end: WireEnd; token: string | null }) {
  if (said === null) return <>{name}: not known</>;
  return (
    <>
      {name} can pay <AmountText value={BigInt(said.value)} token={token} of={said.of} />
    </>
  );
}

type ClosedProps = { wire: Wire; blockSeconds: number | null };

function Closed({ wire: { ends, closing }, blockSeconds }: ClosedProps) {
  const names = ends.map(({ name }) => name).join(' – ');
  return (
    <>
      {names}: {closing === null ? 'is being closed' : 'closed'}
      {closing === null ? null : (
        <>
          , settles in{' '}
          <span
            {...figureOf({
              of: `${closing.of}/settlesIn`,
              value: closing.settlesIn,
              unit: 'blocks',
            })}
          >
            {grouped(closing.settlesIn)} blocks
          </span>
          {blockSeconds === null
            ? ''
            : `, about ${durationText(Number(closing.settlesIn) * blockSeconds)}`}
        </>
      )}
    </>
  );
}
