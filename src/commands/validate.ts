import { readDraft } from "../desired/draft.ts";
import { generationFence, STALE_GENERATION } from "../desired/generation-fence.ts";
import { judgeDraft } from "../desired/load-desired.ts";
import { roleVersions } from "../desired/role-versions.ts";
import { type Diagnostic, hasErrors, sortDiagnostics } from "../kit/diagnostic.ts";
import type { Repository } from "../ports.ts";
import { renderDiagnostics } from "../render/diagnostics.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";

/**
 * `validate [--base REF]`: schemas, references, and with a base the generation and the versions of roles (DESIGN §5).
 * 0 valid, warnings or not; 2 when the number is all that is wrong; 1 otherwise.
 */
export async function runValidate(
  repository: Repository,
  { base }: { readonly base: string | null },
): Promise<CommandResult> {
  const files = await repository.workingTree();
  const draft = readDraft(files);
  const { generation, diagnostics } = judgeDraft(draft);
  if (base === null) return validity(generation, diagnostics);
  const baseFiles = await repository.at(base);
  // A shallow clone must fail here, not find that nothing changed (cases.md 70).
  if (baseFiles === undefined) return refused(unknownBase(base), EXIT.usage);
  const against = [...generationFence(baseFiles, files), ...roleVersions(baseFiles, draft)];
  return validity(generation, sortDiagnostics([...diagnostics, ...against]));
}

export function validity(generation: number | null, diagnostics: readonly Diagnostic[]): CommandResult {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const onlyStale = errors.length > 0 && errors.every(({ code }) => code === STALE_GENERATION);
  const failed = onlyStale ? EXIT.refused : EXIT.failed;
  return {
    exitCode: hasErrors(diagnostics) ? failed : EXIT.ok,
    document: { ok: !hasErrors(diagnostics), generation, diagnostics },
    text: (paint) => renderDiagnostics(diagnostics, paint),
  };
}

function unknownBase(base: string) {
  return {
    code: "unknown-base",
    message: `there is no commit ${base} here`,
    hint: "fetch it first; a clone with a depth holds only its newest commits",
  };
}
