import { readFileSync, writeFileSync } from 'node:fs';

/** Memory of a process as the kernel counts it, in MB. Linux only. */
export function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** The most that it held since its start, or since `resetPeak`. */
export function peakMb(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

/** @returns false where that is not allowed: then the peak counts from the start of the process and is higher at the most */
export function resetPeak(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
}

function statusMb(pid: number, field: string): number {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error(`this system does not tell ${field}`);
  return Math.round(Number(kilobytes) / 1024);
}
