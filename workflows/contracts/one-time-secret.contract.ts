/**
 * A captcha, a recovery or confirmation link, a bot link or an impersonation that expires; workflow ids `captcha/{session}`,
 * `password-reset/{user}`, `email-confirmation/{user}`, `bot-link/{user}`, `impersonation/{session}`. Starts with a delay of the secret's lifetime; a newer secret terminates the older one's
 * workflow.
 */
export interface OneTimeSecretInput {
  /** Kind of the process, from its definition. */
  kind: string;
  /** Session id or user id of the secret's holder. */
  holder: string;
}
