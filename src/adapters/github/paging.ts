import type { ForgeAnswer } from "../../model/forge.ts";
import { failed } from "./failure.ts";

export interface Page<T> {
  readonly values: readonly T[];
  readonly more: boolean;
}

/** GitHub's own bound of most lists is lower. */
const MOST_PAGES = 200;

/** What a list's route asks for. */
export const PER_PAGE = 100;

/** Gathers pages until there are no more or `enough` says so. One page that failed fails the whole: half a list misleads. */
export async function gather<T>(
  page: (number: number) => Promise<ForgeAnswer<Page<T>>>,
  enough: (values: readonly T[]) => boolean = () => false,
): Promise<ForgeAnswer<readonly T[]>> {
  const values: T[] = [];
  for (let number = 1; number <= MOST_PAGES; number++) {
    const answer = await page(number);
    if (answer.kind === "failed") return answer;
    values.push(...answer.value.values);
    if (!answer.value.more || enough(values)) return { kind: "ok", value: values };
  }
  return failed("too-large", `the list has more than ${MOST_PAGES * PER_PAGE} entries`);
}

/** Whether a `Link` header names a next page. */
export function hasNext(headers: { readonly link?: string | undefined }): boolean {
  return /;\s*rel="next"/.test(headers.link ?? "");
}
