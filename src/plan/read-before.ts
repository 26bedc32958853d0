/**
 * What was made of files when they were last read, by path: whoever reads a record again and again passes the same map each
 * time, and only files whose text has changed are parsed anew. What is in it is shared between records and never changed.
 */
export type ReadBefore = Map<string, { readonly text: string | undefined; readonly made: unknown }>;

/** A path is always read in one and the same way, so what is remembered of it is what `make` would give. */
export function madeOf<Made>(
  before: ReadBefore,
  path: string,
  text: string | undefined,
  make: (text: string | undefined) => Made,
): Made {
  const known = before.get(path);
  if (known !== undefined && known.text === text) return known.made as Made;
  const made = make(text);
  before.set(path, { text, made });
  return made;
}
