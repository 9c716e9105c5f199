/** Prints the demo: numbered steps with indented facts and addresses to open. */
export class Narrator {
  private readonly write: (text: string) => void;
  private step = 0;

  constructor(write: (text: string) => void) {
    this.write = write;
  }

  title(text: string): void {
    this.write(`\n${text}\n${'='.repeat([...text].length)}\n`);
  }

  /** Starts a step. */
  begin(text: string): void {
    this.step += 1;
    this.write(`\n${String(this.step).padStart(2)}. ${text}\n`);
  }

  fact(text: string): void {
    this.write(`    ${text}\n`);
  }

  /** Prints an address or a file to open, if any. */
  open(what: string, address: string | null): void {
    if (address !== null) this.write(`    -> ${what}: ${address}\n`);
  }

  paragraph(text: string): void {
    this.write(`\n${text}\n`);
  }
}
