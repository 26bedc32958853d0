import { type PackageFile, repositoryPackage } from "../../src/adapters/memory/package-repository.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";

const demoTool = ["1.2", "1.10", "2:0.9~rc1"].map((version) =>
  repositoryPackage({
    name: "demo-tool",
    version,
    files: [file("/usr/bin/demo-tool", `#!/bin/sh\necho 'demo-tool ${version}'\n`, { mode: "0755" })],
  }),
);
const demoConf = ["1.0", "2.0"].map((version) =>
  repositoryPackage({
    name: "demo-conf",
    version,
    files: [file("/etc/demo-conf.conf", `level = ${version.split(".")[0]}\n`, { conffile: true })],
  }),
);

/** What apt offers in the cases: the packages of the real fleet (test/fleet/apt-packages.sh) as far as they are told here. */
export const CASE_PACKAGES = [
  ...demoTool,
  ...demoConf,
  repositoryPackage({ name: "demo-depends", version: "1.0", depends: ["demo-tool"] }),
  repositoryPackage({ name: "demo-broken", version: "1.0", broken: true }),
  repositoryPackage({ name: "demo-mta-a", version: "1.0", provides: ["demo-mta"] }),
  repositoryPackage({
    name: "demo-service",
    version: "1.0",
    files: [
      unit("demo.service", "ExecStart=/bin/sleep infinity"),
      unit("demo@.service", "ExecStart=/bin/sleep infinity"),
      unit("demo-env.service", "EnvironmentFile=/etc/demo-env\nExecStart=/bin/sleep infinity"),
    ],
  }),
];

function file(path: string, text: string, special: Partial<PackageFile> = {}): PackageFile {
  return { path, content: textContent(text), mode: "0644", conffile: false, ...special };
}

function unit(name: string, service: string): PackageFile {
  return file(`/lib/systemd/system/${name}`, `[Service]\n${service}\n\n[Install]\nWantedBy=multi-user.target\n`);
}
