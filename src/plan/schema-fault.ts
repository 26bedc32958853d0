/** A schema of `model/` as its users here see it. */
export interface Schema<Value> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: Value } | { readonly success: false; readonly error: SchemaError };
}

export interface SchemaError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** The first complaint in one line: `markers.0.digest: Invalid string`. */
export function faultOf({ issues }: SchemaError): string {
  const [first] = issues;
  if (first === undefined) return "it is not as its schema says";
  const where = first.path.map(String).join(".");
  return where === "" ? first.message : `${where}: ${first.message}`;
}
