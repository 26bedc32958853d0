/**
 * What `--diff` says of the content of one drift item. It stands beside the drift reports and is never part of one:
 * reports may be committed, and this quotes what stands on a node (docs/decisions/010).
 */
export type ContentDiff = {
  readonly node: string;
  readonly role: string;
  /** The resource's id. */
  readonly resource: string;
} & ContentComparison;

export type ContentComparison =
  /** A unified diff, what is on the node → what is declared. Text from the node: not safe for a terminal as it is. */
  | { readonly status: "text"; readonly diff: string }
  /** Sizes in bytes; null: there is none on that side. */
  | { readonly status: "binary"; readonly from_bytes: number | null; readonly to_bytes: number | null }
  | { readonly status: "too-large"; readonly from_bytes: number | null; readonly to_bytes: number | null }
  /** More lines differ than anybody would read; counted in lines. */
  | { readonly status: "rewritten"; readonly from_lines: number; readonly to_lines: number }
  /** It may hold a secret. One line says why. */
  | { readonly status: "withheld"; readonly message: string }
  /** The node did not give its content. One line says why. */
  | { readonly status: "unread"; readonly message: string };
