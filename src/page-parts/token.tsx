/** Asks for the token that the node's API requires. It is kept for this tab only, and never put into a URL. */
import { useRef } from 'preact/hooks';
import { keep, kept } from './kept.ts';

export function storedToken(): string {
  return kept('session', 'token') ?? '';
}

type TokenProps = {
  /** What the button says. */
  verb: string;
  /** The node has refused the last token. */
  isRefused: boolean;
  onToken(token: string): void;
};

export function TokenPrompt({ verb, isRefused, onToken }: TokenProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      class="token"
      aria-labelledby="token-title"
      onSubmit={(event) => {
        event.preventDefault();
        const token = field.current?.value.trim() ?? '';
        if (token === '') return;
        keep('session', 'token', token);
        onToken(token);
      }}
    >
      <h1 id="token-title">This node wants a token</h1>
      <p>
        Its API is open only to callers with a token that may read. The token stays in this tab and
        is sent to this node alone.
      </p>
      {isRefused && <p role="alert">The node did not take that token.</p>}
      <label>
        Token
        <input ref={field} type="password" autocomplete="off" required />
      </label>
      <button type="submit">{verb}</button>
    </form>
  );
}
