/**
 * The Temporal of this project, in one place: `npm start` and the tests run it, `go.mod` builds it, and the compose file has the same server
 * (`test/embedded/find-temporal.test.ts`). Production runs this server or a newer one.
 */
export const temporalVersion = {
  /** Release of the program `temporal`, which contains the server and its UI. */
  cli: '1.9.1',
  server: '1.32.0',
  /** For the build, with the toolchain that `go.mod` names. */
  go: '1.26',
} as const;
