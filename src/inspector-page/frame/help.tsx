/** The keys of the page, in a dialog of the browser's own: it keeps the focus and closes with Escape. */
import { useEffect, useRef } from 'preact/hooks';
import { SHORTCUTS } from './shortcuts.ts';

type HelpProps = {
  isOpen: boolean;
  /** Whether single keys do anything: users of voice control may want them off. */
  areKeysOn: boolean;
  onKeys(areOn: boolean): void;
  onClose(): void;
};

export function Help({ isOpen, areKeysOn, onKeys, onClose }: HelpProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={areKeysOn}
          onChange={({ currentTarget }) => onKeys(currentTarget.checked)}
        />
        Single keys work
      </label>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
