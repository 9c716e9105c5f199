/**
 * A captcha, a recovery link, a link with the bot or an impersonation that ends after its time; workflow ids `captcha/{session}`,
 * `password-reset/{user}`, `bot-link/{user}`, `impersonation/{session}`.
 * Started with a delay as long as the secret lives; a newer secret terminates the older one's workflow.
 */
export interface OneTimeSecretInput {
  /** Kind of the process, as its definition names it. */
  kind: string;
  /** Session id or user id: whose secret it is. */
  holder: string;
}
