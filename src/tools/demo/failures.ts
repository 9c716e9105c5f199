/** A reason why the demo cannot continue; the terminal shows it without a stack trace. */
export class DemoFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DemoFailure';
  }
}

/** A request that failed unexpectedly, with its answer. */
export interface FailedRequest {
  method: string;
  url: string;
  sent: unknown;
  /** Null without an answer. */
  status: number | null;
  answer: string;
}

/** A request was refused or not answered. The message shows the request without passwords and captcha answers. */
export class RequestFailure extends DemoFailure {
  constructor({ method, url, sent, status, answer }: FailedRequest) {
    const lines = [
      `${method} ${url} ${status === null ? 'was not answered' : `answered ${status}`}`,
      ...(sent === undefined ? [] : [`  sent:     ${JSON.stringify(sent, withoutSecrets)}`]),
      `  answered: ${answer.slice(0, 2000)}`,
    ];
    super(lines.join('\n'));
    this.name = 'RequestFailure';
  }
}

const secretFields = new Set(['password', 'captcha_answer']);

function withoutSecrets(name: string, value: unknown): unknown {
  return secretFields.has(name) ? '***' : value;
}
