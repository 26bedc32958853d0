import type { EffectBlock } from "../block.ts";
import { quote } from "../quote.ts";

/**
 * Installs exactly what the reviewer saw: the version that is declared, older or newer, or what apt takes for the name. It
 * removes nothing else and lifts no hold; the lists are fetched again when a name or a version is not in them. Whether
 * recommended packages come along is the node's own setting (apt.conf).
 */
export const installPackage: EffectBlock<"install-package"> = ({ name, version, repair }) =>
  `rc_my_install ${quote(name)} ${quote(version ?? "")} ${quote(repair ? "repair" : "")}`;

/** Removes this one and keeps its conffiles; where others would go with it, or come for it, nothing is done. */
export const removePackage: EffectBlock<"remove-package"> = ({ name }) => `rc_my_remove ${quote(name)}`;
