import { rm } from 'node:fs/promises';
import type { InspectionRequest } from './inspect-file.ts';
import { type Inspection, refuse } from './inspection.ts';
import { InspectorChild } from './inspector-child.ts';

export type InspectorOptions = {
  /** milliseconds one file may take from the moment a process begins with it */
  timeoutMs?: number;
  /** processes, and so files examined at a time */
  concurrency?: number;
  /** files that may wait; more are turned away */
  maxWaiting?: number;
};

/** Examines uploads in processes of their own: hostile bytes are never decoded in the one that serves requests. */
export interface Inspector {
  /**
   * What the file at `path` is and whether it may be kept; a kept image is written to `outPath`, and nothing is left there
   * otherwise. The file at `path` is not touched.
   * @throws {InspectorUnavailableError} when the machine fails: the file has not been judged.
   */
  inspect(request: InspectionRequest): Promise<Inspection>;
  /** Ends the processes; what still waits fails. */
  close(): Promise<void>;
}

/** The file could not be examined, through no fault of its own. */
export class InspectorUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InspectorUnavailableError';
  }
}

type Job = { request: InspectionRequest; resolve: (inspection: Inspection) => void; reject: (error: Error) => void };

/** An inspector whose processes start with the first file, and do not keep the caller's process alive. */
export function createInspector(options: InspectorOptions = {}): Inspector {
  const { timeoutMs = 20_000, concurrency = 2, maxWaiting = 500 } = options;
  const waiting: Job[] = [];
  const children = Array.from({ length: concurrency }, () => new InspectorChild({ timeoutMs }));
  const busy = new Set<InspectorChild>();
  let closed = false;

  function startNext(): void {
    const child = children.find((candidate) => !busy.has(candidate));
    const job = child && waiting.shift();
    if (!child || !job) return;
    busy.add(child);
    run(child, job.request)
      .then(job.resolve, job.reject)
      .finally(() => {
        busy.delete(child);
        startNext();
      });
  }

  return {
    inspect(request) {
      if (closed) return Promise.reject(new InspectorUnavailableError('the inspector is closed'));
      if (waiting.length >= maxWaiting) return Promise.reject(new InspectorUnavailableError('too many files are waiting to be examined'));
      return new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        startNext();
      });
    },
    async close() {
      closed = true;
      for (const job of waiting.splice(0)) job.reject(new InspectorUnavailableError('the inspector is closed'));
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}

async function run(child: InspectorChild, request: InspectionRequest): Promise<Inspection> {
  try {
    const outcome = await child.examine(request);
    if (outcome.kind === 'done' && outcome.inspection.ok) return outcome.inspection;
    await rm(request.outPath, { force: true });
    if (outcome.kind === 'done') return outcome.inspection;
    if (outcome.kind === 'timeout') return refuse('inspection_timeout');
    // A decoder that brings its process down was given something that no sound file holds.
    if (outcome.kind === 'crashed' && outcome.type)
      return refuse(outcome.type === 'application/pdf' ? 'pdf_unreadable' : 'image_unreadable');
    throw new InspectorUnavailableError(outcome.kind === 'failed' ? outcome.reason : 'the examining process was ended');
  } catch (error) {
    if (error instanceof InspectorUnavailableError) throw error;
    throw new InspectorUnavailableError('the file could not be examined', { cause: error });
  }
}
