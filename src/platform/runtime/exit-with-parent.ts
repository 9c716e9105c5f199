/**
 * A child process has an IPC channel to the supervisor. The channel closes when the supervisor is killed, and the child then exits. Without
 * a channel (a process started by hand), these functions do nothing.
 */

const shutdownDeadlineMs = 10_000;

/** Runs `shutdown` and exits when the supervisor ends, even before this call; exits at the latest ten seconds later. */
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
  // Undefined without a channel.
  if (process.connected === undefined) return;
  if (!process.connected) return end();
  process.once('disconnect', end);
  // The channel must not keep the process alive after an ordered shutdown.
  process.channel?.unref();
}

/** Tells the supervisor that this process is ready. */
export function reportReady(): void {
  if (process.connected) process.send?.({ ready: true });
}
