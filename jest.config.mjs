/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/global/environment.mjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  filter: '<rootDir>/test/support/global/choose-tests.mjs',
  // Node loads the files and strips their types (`test/support/global/runtime.mjs`).
  runtime: '<rootDir>/test/support/global/runtime.mjs',
  transform: {},
  // Starts no server yet: each is started for the first test file that asks for it (`test/support/servers.ts`).
  globalSetup: '<rootDir>/test/support/global/setup.mjs',
  globalTeardown: '<rootDir>/test/support/global/teardown.mjs',
  // What running stacks write is not source: `--watch` must not run again for it.
  modulePathIgnorePatterns: ['<rootDir>/.data/', '<rootDir>/dist/'],
  watchPathIgnorePatterns: ['<rootDir>/.data/', '<rootDir>/dist/'],
  // A test file of the service holds an API, a Temporal worker and their pools. On two cores two at once leave a quarter of the time unused, since
  // many files wait for a heartbeat to run out or for a server that says nothing; four fill it. A slow test
  // starts all parts of a stack as processes of its own.
  maxWorkers: process.env.TEST_GROUP === 'slow' ? 3 : 4,
  // Jest gives back the memory of a file's modules late; a test process above this limit is replaced before its next file. One that has run
  // some files ends with 900 MB, which take 0.2 s of processor time to give back. Jest waits half a second on the clock, so on a busy machine
  // it says at the end that a process "has failed to exit gracefully", with nothing left open in it.
  workerIdleMemoryLimit: '1500MB',
  // A busy machine takes several times as long; a test that hangs is told late, and no healthy one fails.
  testTimeout: 300_000,
};
