export { afterAnswersDone } from './after-answer.ts';
export { requirePassword, verifyPasswordOf } from './confirm-password.ts';
export { countAttempt } from './count-attempt.ts';
export { expireSecret } from './expire-secret.ts';
export { findUser, findUserByEmail } from './queries.ts';
export { presentUser } from './presenter.ts';
export { accountRoutes } from './routes.ts';
export { confirmationBody, presentPassword, userOut } from './schemas.ts';
export { clearLeftovers } from './sweep.ts';
