/**
 * An IPC channel ties a child process to the supervisor. It closes when the supervisor is killed with SIGKILL, and the child then exits. A
 * process started by hand has no channel, and neither function does anything.
 */

const shutdownDeadlineMs = 10_000;

/** Runs `shutdown` and exits when the supervisor is gone, also if it went before this call; exits anyway after ten seconds. */
export function exitWithParent(shutdown: () => Promise<void>): void {
  const end = () => {
    const deadline = setTimeout(() => process.exit(1), shutdownDeadlineMs);
    deadline.unref();
    shutdown().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  // Undefined in a process that never had a channel.
  if (process.connected === undefined) return;
  if (!process.connected) return end();
  process.once('disconnect', end);
  // An ordered shutdown ends by itself when nothing is left to do; the channel must not hold it.
  process.channel?.unref();
}

/** Tells the supervisor that this process is ready. */
export function reportReady(): void {
  if (process.connected) process.send?.({ ready: true });
}
