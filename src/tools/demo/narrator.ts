/** Tells the person at the terminal what happens: numbered steps, indented facts under each, addresses to open. */
export class Narrator {
  private readonly write: (text: string) => void;
  private step = 0;

  constructor(write: (text: string) => void) {
    this.write = write;
  }

  title(text: string): void {
    this.write(`\n${text}\n${'='.repeat([...text].length)}\n`);
  }

  /** Begins a step; what `fact` and `open` say next belongs to it. */
  begin(text: string): void {
    this.step += 1;
    this.write(`\n${String(this.step).padStart(2)}. ${text}\n`);
  }

  fact(text: string): void {
    this.write(`    ${text}\n`);
  }

  /** An address worth opening in a browser, or a file. Says nothing where there is none. */
  open(what: string, address: string | null): void {
    if (address !== null) this.write(`    -> ${what}: ${address}\n`);
  }

  paragraph(text: string): void {
    this.write(`\n${text}\n`);
  }
}
