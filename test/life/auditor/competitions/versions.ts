import type { Model } from '../model.ts';

/**
 * Versions (`updated_at`) of records, by kind and id, as an administrator read them last. A change of the record forgets its version, so
 * that a decision on it is judged as made on an old read (REV-5).
 */
export function readVersion(model: Model, record: string, version: string | null): void {
  if (version !== null) model.versions.set(record, version);
}

export function forgetVersion(model: Model, record: string): void {
  model.versions.delete(record);
}

/** Whether nothing has changed since that version was read. A decision may name none. */
export function versionStands(model: Model, record: string, version: string | undefined): boolean {
  return version === undefined || model.versions.get(record) === version;
}
