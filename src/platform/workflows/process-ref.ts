/** The process of a record, `application/12`; also the workflow's id. */
export type ProcessRef = `${string}/${string}`;

export function processRef(kind: string, id: number | string): ProcessRef {
  return `${kind}/${id}`;
}

/** @throws {RangeError} when the text is not a process id */
export function parseProcessRef(ref: string): { kind: string; id: string } {
  const slash = ref.indexOf('/');
  if (slash < 1 || slash === ref.length - 1) throw new RangeError(`not a process id: ${ref}`);
  return { kind: ref.slice(0, slash), id: ref.slice(slash + 1) };
}
