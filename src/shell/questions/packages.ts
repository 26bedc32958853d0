import type { PackageFact, PackageInstance } from "../../model/node-facts.ts";
import type { QuestionBlock } from "../block.ts";
import { quote } from "../quote.ts";

/**
 * What dpkg knows of names: one `dpkg-query` for all of them, and one more over all packages, with a `grep`, only when a
 * name is unknown: then somebody may provide it (cases.md 20). Architectures are told apart here and not in the question,
 * since `libc6:amd64` is refused where the package is for all of them (cases.md 18, 19).
 *
 *     <name>|<want> <flag> <status>|<architecture>|<version>
 *     =<status>|<name>|<provides>        of the second one
 */
export const packages: QuestionBlock<string, PackageFact> = {
  render(names) {
    const plain = [...new Set(names.map(nameOf))].map(quote);
    return `rc_known=$(dpkg-query -W -f='\${Package}|\${Status}|\${Architecture}|\${Version}\\n' ${SENTINEL} ${plain.join(" ")} 2>/dev/null)
printf '%s\\n' "$rc_known"
rc_unknown=''
for rc_name in ${plain.join(" ")}; do
case "
$rc_known" in *"
$rc_name|"*)
rc_rest="
$rc_known"
rc_rest=\${rc_rest#*"
$rc_name|"}
case \${rc_rest%%"|"*} in *" not-installed") ;; *) continue ;; esac ;;
esac
rc_unknown="$rc_unknown -e $rc_name"
done
[ -z "$rc_unknown" ] || dpkg-query -W -f='=\${Status}|\${Package}|\${Provides}\\n' 2>/dev/null | grep -F $rc_unknown`;
  },
  parse(section, names) {
    const { instances, providers, native } = read(section);
    // dpkg itself is always there. Where it does not say so, nothing it says can be relied on, and no fact is given.
    if (native === undefined) return new Map();
    return new Map(
      names.map((name): [string, PackageFact] => {
        const plain = nameOf(name);
        return [name, { instances: instances.get(plain) ?? [], providedBy: providers.get(plain) ?? [] }];
      }),
    );
  },
};

/** Asked along with the names: it is installed wherever there is a dpkg, and its architecture is the node's own. */
const SENTINEL = "dpkg";

interface Known {
  readonly instances: Map<string, PackageInstance[]>;
  readonly providers: Map<string, string[]>;
  readonly native: string | undefined;
}

function read(section: string): Known {
  const rows = section.split("\n").map((line) => line.split("|"));
  const native = rows.find(([name]) => name === SENTINEL)?.[2];
  const instances = new Map<string, PackageInstance[]>();
  const providers = new Map<string, string[]>();
  for (const [first = "", second = "", third = "", version] of rows) {
    if (first.startsWith("=")) {
      if (!first.endsWith(" installed")) continue;
      for (const name of provided(third)) push(providers, name, second);
    } else if (version !== undefined) {
      const [want = "", flag = "", status = ""] = second.split(" ");
      if (status === "not-installed") continue;
      push(instances, first, {
        architecture: third,
        native: third === native || third === "all",
        want,
        flag,
        status,
        version,
      });
    }
  }
  return { instances, providers, native };
}

/** `mail-transport-agent, demo (= 1.0)` → names. */
function provided(field: string): string[] {
  return field.split(",").flatMap((entry) => entry.trim().split(/[\s(:]/)[0] || []);
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}

function nameOf(name: string): string {
  return name.split(":")[0] ?? name;
}
