/** File content as it travels through the pure part: known by its digest, read only where it is needed. */
export interface FileContent {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly bytes: () => Uint8Array;
}
