export { afterAnswersDone } from './after-answer.ts';
export { countAttempt } from './count-attempt.ts';
export { expireSecret } from './expire-secret.ts';
export { accountRoutes } from './routes.ts';
export { clearLeftovers } from './sweep.ts';
