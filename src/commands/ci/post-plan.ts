import { FORGE_BODY_LIMIT, type ForgeComment } from "../../model/forge.ts";
import type { Forge } from "../../ports/forge.ts";

export type Posting =
  | { readonly kind: "posted"; readonly url: string }
  /** It says so already, or is not to be told: why, in one line. */
  | { readonly kind: "left"; readonly why: string }
  /** Never a reason to fail a good plan (DESIGN §6). */
  | { readonly kind: "failed"; readonly problem: string };

/** One comment, edited in place; a deleted one is made anew. `known`: ours, as it was found. */
export async function postPlan(
  forge: Forge,
  number: number,
  body: string,
  known: ForgeComment | null,
): Promise<Posting> {
  if (body.length > FORGE_BODY_LIMIT) throw new Error(`a comment of ${body.length} characters`);
  if (known !== null && known.body === body) return { kind: "left", why: "it says so already" };
  if (known !== null) {
    const edited = await forge.updateComment(known.id, body);
    if (edited.kind === "ok") return { kind: "posted", url: edited.value.url };
    if (edited.code !== "not-found" && edited.code !== "gone") return failure(edited);
  }
  const made = await forge.createComment(number, body);
  return made.kind === "ok" ? { kind: "posted", url: made.value.url } : failure(made);
}

export function failure({ code, message, hint }: { code: string; message: string; hint: string }): Posting {
  return { kind: "failed", problem: `${code}: ${message}. ${hint}` };
}
