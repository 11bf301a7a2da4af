/** Lets go of an answer that nobody reads. Whoever sent it may have died meanwhile: that is no failure of the caller. */
export function unread(answer: Response): void {
  answer.body?.cancel().catch(() => {});
}
