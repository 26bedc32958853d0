// Bundles the command line and the demo of `npm start` into dist/, or into the folder named on the command line (tests
// do that). `npm ci` runs it as `prepare`. Splitting keeps ssh2, zod and the like out of the chunk that
// `rollcall --version` loads.
import { chmod, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const { version } = JSON.parse(await readFile(new URL("package.json", import.meta.url), "utf8"));
const root = fileURLToPath(new URL(".", import.meta.url));
const outdir = resolve(root, process.argv[2] ?? "dist");
await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: { main: "src/main.ts", demo: "test/embedded/demo.ts" },
  absWorkingDir: root,
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  sourcemap: "linked",
  legalComments: "none",
  logLevel: "warning",
  define: {
    __ROLLCALL_VERSION__: JSON.stringify(version),
    // yaml looks for its debugging switches at every token; a look at the environment is slow.
    "process.env.LOG_TOKENS": "undefined",
    "process.env.LOG_STREAM": "undefined",
  },
  // ssh2 tries its optional native helpers inside try/catch and works without them; just-bash is for the demo only.
  external: ["*.node", "cpu-features", "just-bash"],
  chunkNames: "chunks/[name]-[hash]",
  // CommonJS packages within ask for these (ssh2 for the folder of its Windows helper).
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); const __dirname = import.meta.dirname;",
  },
});
await chmod(join(outdir, "main.js"), 0o755);
