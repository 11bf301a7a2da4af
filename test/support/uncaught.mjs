/**
 * Loaded into a node's process before the program (`node --import`): SIGUSR2 makes it throw what nobody
 * catches, SIGWINCH makes it reject a promise that nobody waits for. The program itself knows nothing of it.
 */
process.on('SIGUSR2', () => {
  setImmediate(() => {
    throw new Error('thrown by the test');
  });
});
process.on('SIGWINCH', () => void Promise.reject(new Error('rejected by the test')));
