// The few globals that the pure folders may use. They are compiled with `types: []` (tsconfig.pure.json), so that
// the compiler itself refuses `process`, `fetch`, `console`, timers and everything else there.
interface TextEncoder {
  encode(text: string): Uint8Array;
}
declare var TextEncoder: { new (): TextEncoder };
interface TextDecoder {
  decode(bytes: Uint8Array): string;
}
declare var TextDecoder: { new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder };
declare function btoa(binary: string): string;
declare function atob(base64: string): string;
