/** A shortened text with a button that copies all of it. */
import { useState } from 'preact/hooks';

type CopyProps = { label: string; text: string; shown: string };

export function Copy({ label, text, shown }: CopyProps) {
  const [said, setSaid] = useState('');
  return (
    <button
      type="button"
      class="copy"
      title={`${label} ${text}: click to copy`}
      aria-label={`Copy ${label} ${shown}`}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setSaid('copied'),
          () => setSaid('not copied: the browser forbids it'),
        )
      }
      onBlur={() => setSaid('')}
    >
      <code>{shown}</code>
      <span role="status">{said}</span>
    </button>
  );
}
