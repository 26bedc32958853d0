/** Colours, passed in: the identity functions when there is no terminal or `NO_COLOR` is set. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string): string => text;
export const PLAIN: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };
