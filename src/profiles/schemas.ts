export type ProfileData = Record<string, unknown>;
