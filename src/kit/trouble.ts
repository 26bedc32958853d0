/**
 * Something of the machine that a run needs and that is not as it must be: no git, a file that cannot be read. Thrown by
 * adapters, told once in `main.ts` with its own code and what to do, exit 70; it is no fault of rollcall (STYLE: exceptions
 * are for bugs and broken adapters).
 */
export class Trouble extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(message: string, { code, hint, cause }: { code: string; hint: string; cause?: unknown }) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}
