/** What has gone wrong; null: nothing. */
export function ProblemNote({ text }: { text: string | null }) {
  return text === null ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}
