/** Downloads the file in the reader's browser. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Not at once: some browsers read the file only after that.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
