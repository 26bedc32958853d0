import fc from "fast-check";

/** Roles as YAML, by name; all of it can be satisfied on a node of the test fleet, whatever stood there before. */
export type Manifest = Readonly<Record<string, string>>;

type Written = Readonly<Record<string, unknown>>;

/** Resources that belong together, in order; they go to one role as a whole. */
type Group = readonly Written[];

const ROOT = "/srv/random";

const state = fc.constantFrom("started", "stopped", undefined);
const enabled = fc.constantFrom("true", "false", undefined);
const owner = fc.constantFrom("root", "ops", "1001", "deploy");
const fileMode = fc.constantFrom("0644", "0600", "0755", "4750", "0000");
const folderMode = fc.constantFrom("0755", "0700", "2775", "1777");
const content = fc.oneof(
  fc.constantFrom("", "a", "a\n", "\n\n", "a\r\nb\r\n", "$HOME `id` 'x' \"y\" \\n\n", "ü-日本\u{1f600}\n"),
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replaceAll("\0", "")),
);
const variables = fc.dictionary(
  fc.constantFrom("A", "B", "LOG_LEVEL", "GREETING", "_x9"),
  fc.string({
    unit: fc.constantFrom("a", " ", "'", '"', "\\", "$", "`", ";", "#", "=", "é", "%", "\t"),
    maxLength: 12,
  }),
  { maxKeys: 5 },
);

/** A tree two folders deep; what is absent is named from the inside out. */
const tree: fc.Arbitrary<Group> = fc
  .record({
    gone: fc.boolean(),
    name: fc.constantFrom("plain", "with space", "-rf", "back\\slash", "it's", "ü$(x)"),
    outer: fc.record({ mode: folderMode, owner, group: owner }),
    inner: fc.record({ mode: folderMode, owner, group: owner }),
    file: fc.record({ mode: fileMode, owner, group: owner, content }),
    second: fc.option(fc.record({ mode: fileMode, content }), { nil: undefined }),
  })
  .map(({ gone, name, outer, inner, file, second }) => {
    const folder = `${ROOT}/${name}`;
    const present: Written[] = [
      { type: "directory", path: folder, ...outer },
      { type: "directory", path: `${folder}/inner`, ...inner },
      { type: "file", path: `${folder}/inner/a`, ...file },
      { type: "file", path: `${folder}/b`, ...(second ?? { state: "absent" }) },
    ];
    if (!gone) return present;
    return ["file", "file", "directory", "directory"].map((type, index) => ({
      type,
      path: [`${folder}/b`, `${folder}/inner/a`, `${folder}/inner`, folder][index],
      state: "absent",
    }));
  });

const command: fc.Arbitrary<Group> = fc
  .record({ name: fc.constantFrom("one", "two"), idempotent: fc.boolean() })
  .map(({ name, idempotent }) => [
    {
      type: "command",
      run: `echo "ran" >${ROOT}/${name}.done`,
      creates: `${ROOT}/${name}.done`,
      idempotent: String(idempotent),
    },
  ]);

const packages: fc.Arbitrary<Group> = fc
  .oneof(
    fc.record({
      name: fc.constant("demo-tool"),
      version: fc.constantFrom("present", "1.2", "1.10", "2:0.9~rc1"),
      gone: fc.boolean(),
    }),
    fc.record({
      name: fc.constant("demo-conf"),
      version: fc.constantFrom("present", "1.0", "2.0"),
      gone: fc.boolean(),
    }),
    fc.record({
      name: fc.constantFrom("demo-mta", "demo-arch"),
      version: fc.constant("present"),
      gone: fc.constant(false),
    }),
  )
  .map(({ name, version, gone }) => [{ type: "package", name, ...(gone ? { state: "absent" } : { version }) }]);

/** A service of our own with its environment file, a drop-in, and what makes its restart due. */
const service: fc.Arbitrary<Group> = fc
  .record({
    name: fc.constantFrom("random-a", "random-b", "random-t@one"),
    kind: fc.constantFrom("simple", "exec", "remains"),
    state,
    enabled,
    gone: fc.boolean(),
    unitFirst: fc.boolean(),
    vars: variables,
    dropIn: fc.constantFrom(null, "Environment=X=1", "Environment=X=2"),
    listens: fc.constantFrom("restart_on", "reload_on", null),
  })
  .map((spec) => (spec.gone ? serviceGone(spec.name, spec.unitFirst) : servicePresent(spec)));

const UNIT_BODY: Readonly<Record<string, string>> = {
  simple: "ExecStart=/bin/sleep infinity\nExecReload=/bin/true",
  exec: "Type=exec\nExecStart=/bin/sleep infinity",
  remains: "Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\nExecReload=/bin/true",
};

/** Of an instance, its template's. */
const unitFile = (name: string): string => `/etc/systemd/system/${name.replace(/@.*/, "@")}.service`;

function servicePresent(spec: {
  readonly name: string;
  readonly kind: string;
  readonly state: string | undefined;
  readonly enabled: string | undefined;
  readonly vars: Readonly<Record<string, string>>;
  readonly dropIn: string | null;
  readonly listens: string | null;
}): Group {
  const { name, kind } = spec;
  const environment = `${ROOT}/${name}.env`;
  const body = `[Service]\n${UNIT_BODY[kind]}\nEnvironmentFile=${environment}\n[Install]\nWantedBy=multi-user.target\n`;
  const dropIns = `/etc/systemd/system/${name}.service.d`;
  const unit = { type: "systemd_unit", name: `${name}.service`, unit_file: unitFile(name) };
  const declares = spec.state === undefined && spec.enabled === undefined ? { state: "started" } : {};
  const wanted = { ...spec, ...declares };
  const listens = spec.listens !== null && wanted.state === "started" ? { [spec.listens]: [`${name}-settings`] } : {};
  return [
    { type: "env", path: environment, vars: spec.vars, mode: "0640" },
    { type: "file", path: unitFile(name), content: body },
    { type: "directory", path: dropIns },
    {
      type: "file",
      path: `${dropIns}/more.conf`,
      ...(spec.dropIn === null ? { state: "absent" } : { content: `[Service]\n${spec.dropIn}\n` }),
    },
    { type: "file", id: `${name}-settings`, path: `${ROOT}/${name}.conf`, content: JSON.stringify(spec.vars) },
    {
      ...unit,
      ...(wanted.state === undefined ? {} : { state: wanted.state }),
      ...(wanted.enabled === undefined ? {} : { enabled: wanted.enabled }),
      ...listens,
    },
  ];
}

/** Stopped and disabled, and its file gone: in either order. */
function serviceGone(name: string, unitFirst: boolean): Group {
  const unit = { type: "systemd_unit", name: `${name}.service`, state: "stopped", enabled: "false" };
  const file = { type: "file", path: unitFile(name), state: "absent" };
  return unitFirst ? [unit, file] : [file, unit];
}

/** Services that packages bring. */
const packaged: fc.Arbitrary<Group> = fc
  .record({
    name: fc.constantFrom("gyrum-prober", "demo-web"),
    gone: fc.boolean(),
    state,
    enabled,
    greeting: fc.constantFrom("hello", "good day", "it's"),
    port: fc.integer({ min: 8000, max: 8010 }),
  })
  .map(({ name, gone, state: wanted, enabled: boot, greeting, port }): Group => {
    const unit = { type: "systemd_unit", name: `${name}.service` };
    if (gone)
      return [
        { ...unit, state: "stopped", enabled: "false" },
        { type: "package", name, state: "absent" },
      ];
    const said = wanted === undefined && boot === undefined ? { state: "started" } : {};
    const settings: Written[] =
      name === "demo-web"
        ? [
            { type: "directory", path: "/etc/demo-web" },
            { type: "env", path: "/etc/demo-web/env", vars: { GREETING: greeting, PORT: String(port) } },
          ]
        : [
            { type: "directory", path: "/etc/gyrum", mode: "0750" },
            { type: "file", path: "/etc/gyrum/prober.yaml", content: `${greeting}\n`, group: "gyrum" },
          ];
    return [
      { type: "package", name },
      ...settings,
      {
        ...unit,
        unit_file: `/lib/systemd/system/${name}.service`,
        ...(wanted === undefined ? {} : { state: wanted }),
        ...(boot === undefined ? {} : { enabled: boot }),
        ...said,
      },
    ];
  });

/** One to eight groups over a base role and two that need it; what two groups would both declare stands once. */
export const manifest: fc.Arbitrary<Manifest> = fc
  .array(
    fc.tuple(
      fc.constantFrom("host", "app", "web"),
      fc.oneof(tree, command, packages, { arbitrary: service, weight: 3 }, { arbitrary: packaged, weight: 2 }),
    ),
    { minLength: 3, maxLength: 8 },
  )
  .map((placed) => {
    const claimed = new Set<string>();
    const roles: Record<string, Written[]> = { host: [{ type: "directory", path: ROOT }], app: [], web: [] };
    for (const [role, group] of placed) {
      const claims = group.flatMap((written) => String(written.path ?? written.name ?? written.creates));
      if (claims.some((claim) => claimed.has(claim))) continue;
      for (const claim of claims) claimed.add(claim);
      roles[role]?.push(...group);
    }
    const requires: Readonly<Record<string, string>> = { host: "[]", app: "[host]", web: "[app]" };
    return Object.fromEntries(
      Object.entries(roles).map(([role, resources]) => {
        const lines = resources.map((written) => `  - ${JSON.stringify(written)}\n`).join("");
        const head = `role: ${role}\nversion: 1\ndescription: Random.\nrequires: ${requires[role]}\n`;
        return [role, `${head}resources:${lines === "" ? " []\n" : `\n${lines}`}`];
      }),
    );
  });
