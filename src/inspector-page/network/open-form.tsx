/** A small form at the middle of a drawn line: it asks for the deposit and opens the channel. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import { Select } from '../../page-parts/select.tsx';
import { between, type MapPlace, type Sheet } from './places.ts';
import { openCall, unitsIn } from './play/calls.ts';
import type { DevnetPlay } from './play/play.ts';
import { SmallField } from './play/small-field.tsx';

type FormProps = {
  play: DevnetPlay;
  tokens: DevnetNodes['tokens'];
  places: ReadonlyMap<string, MapPlace>;
  sheet: Sheet;
};

/** Half of the form in pixels: it stays within the drawing. */
const HALF = { width: 128, height: 70 };

export function OpenForm({ play, tokens, places, sheet }: FormProps) {
  const [text, setText] = useState('100');
  const [chosen, choose] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const drawn = play.drawn.value;
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [drawn]);
  if (drawn === null) return null;
  const nodes = play.view.value?.nodes ?? [];
  const [from, to] = [drawn.from, drawn.to].map((name) => nodes.find((one) => one.name === name));
  const [begin, end] = [places.get(drawn.from), places.get(drawn.to)];
  const token = tokens.find(({ address }) => address === chosen) ?? tokens[0];
  if (!from || !to || !begin || !end || !token) return null;
  const amount = unitsIn(text, token.decimals);
  const { x, y } = between(begin, end, 0.5);
  const leave = () => play.draw(null);
  return (
    <form
      class="play-open"
      aria-label={`Open a channel between ${from.name} and ${to.name}`}
      style={{
        left: `${within(x, HALF.width, sheet.width)}px`,
        top: `${within(y, HALF.height, sheet.height)}px`,
      }}
      onKeyDown={({ key }) => key === 'Escape' && leave()}
      onSubmit={(event) => {
        event.preventDefault();
        if (amount === null || amount === 0n) return;
        const written = `${text.trim()} ${token.symbol}`;
        void play.run(openCall({ from, to, token: token.address, amount, written }));
        play.ordered.value = drawn;
        leave();
      }}
    >
      <p>
        {from.name} opens a channel with {to.name}
      </p>
      <SmallField
        label="Deposit"
        value={text}
        onText={setText}
        mode="decimal"
        size={7}
        field={field}
      />
      {tokens.length > 1 ? (
        <label>
          <span class="unseen">Token</span>
          <Select
            value={token.address}
            options={tokens.map(({ address, symbol }) => [address, symbol] as const)}
            onChoose={choose}
          />
        </label>
      ) : (
        ` ${token.symbol}`
      )}
      <p class="play-fields">
        <button type="submit" disabled={amount === null || amount === 0n}>
          Open it
        </button>
        <button type="button" onClick={leave}>
          Cancel
        </button>
      </p>
    </form>
  );
}

const within = (middle: number, half: number, whole: number) =>
  Math.min(Math.max(middle, half), Math.max(half, whole - half));
