import fc from "fast-check";

/** What happened to a node while nobody looked: a line of shell, and which named errors it may lead to. */
export interface Drift {
  readonly run: string;
  /** Reasons of errors that are the right answer to it, as long as {@link undo} has not been run. */
  readonly hinders: readonly string[];
  readonly undo: string;
}

const plain = (run: string): Drift => ({ run, hinders: [], undo: ":" });

const path = fc
  .constantFrom(
    "/srv/random/plain",
    "/srv/random/plain/inner",
    "/srv/random/plain/inner/a",
    "/srv/random/with space/b",
    "/srv/random/-rf/inner/a",
    "/srv/random/back\\slash/inner/a",
    "/srv/random/random-a.env",
    "/srv/random/random-b.env",
    "/srv/random/random-a.conf",
    "/srv/random/one.done",
    "/etc/systemd/system/random-a.service",
    "/etc/systemd/system/random-b.service",
    "/etc/systemd/system/random-t@.service",
    "/etc/systemd/system/random-a.service.d/more.conf",
    "/etc/systemd/system/random-a.service.d",
    "/etc/demo-web/env",
    "/etc/gyrum/prober.yaml",
    "/etc/demo-conf.conf",
    "/srv/random",
  )
  .map((name) => `'${name}'`);
const unit = fc.constantFrom("random-a", "random-b", "random-t@one", "gyrum-prober", "demo-web");

const files: fc.Arbitrary<Drift> = fc.oneof(
  path.map((at) => plain(`rm -rf -- ${at}`)),
  path.map((at) => plain(`[ ! -f ${at} ] || echo tampered >>${at}`)),
  path.map((at) => plain(`[ ! -f ${at} ] || : >${at}`)),
  path.map((at) => plain(`[ ! -f ${at} ] || sed -i 's/a/b/' -- ${at}`)),
  fc.tuple(path, fc.constantFrom("000", "4777", "640")).map(([at, mode]) => plain(`chmod ${mode} -- ${at}`)),
  fc.tuple(path, fc.constantFrom("ops:ops", "4711:4712")).map(([at, who]) => plain(`chown ${who} -- ${at}`)),
);

const units: fc.Arbitrary<Drift> = fc.oneof(
  fc
    .tuple(fc.constantFrom("stop", "start", "restart", "disable", "enable", "kill -s KILL", "reset-failed"), unit)
    .map(([verb, name]) => plain(`systemctl ${verb} ${name}`)),
  unit.map((name) => plain(`systemctl disable --now ${name}`)),
  unit.map((name) => plain(`systemctl enable --runtime ${name}`)),
  unit.map((name) => plain(`rm -f /etc/systemd/system/multi-user.target.wants/${name}.service`)),
  fc.constant(plain("systemctl daemon-reload")),
);

/** A mask is a link in the way of the unit's own file too, and a hold outlives what it was put on. */
const hindrances: fc.Arbitrary<Drift> = fc.oneof(
  fc.constantFrom("gyrum-prober", "demo-web", "random-a").map((name) => ({
    run: `systemctl mask --runtime ${name}`,
    hinders: ["unit-masked"],
    undo: `systemctl unmask --runtime ${name}`,
  })),
  fc.constantFrom("gyrum-prober", "demo-web").map((name) => ({
    run: `systemctl mask ${name}`,
    hinders: ["unit-masked"],
    undo: `systemctl unmask ${name}`,
  })),
  fc.constantFrom("demo-tool", "demo-conf").map((name) => ({
    run: `apt-mark hold ${name}`,
    hinders: ["package-held"],
    undo: `apt-mark unhold ${name}`,
  })),
  fc.constant({
    run: "rm -rf /srv/random/plain/inner && ln -s /srv/random /srv/random/plain/inner",
    hinders: ["link-in-the-way", "not-empty", "parent-missing"],
    undo: "[ ! -L /srv/random/plain/inner ] || rm /srv/random/plain/inner",
  }),
);

const packages: fc.Arbitrary<Drift> = fc.oneof(
  fc
    .tuple(fc.constantFrom("remove", "purge"), fc.constantFrom("demo-tool", "demo-conf", "gyrum-prober", "demo-web"))
    .map(([verb, name]) => plain(`apt-get -yq ${verb} ${name}`)),
  fc
    .constantFrom("demo-tool=1.2", "demo-tool=2:0.9~rc1", "demo-conf=1.0")
    .map((wanted) => plain(`apt-get -yq --allow-downgrades install ${wanted}`)),
  fc.constantFrom("gyrum-prober", "demo-mta-a").map((name) => plain(`dpkg --unpack /srv/apt/${name}_1.0_all.deb`)),
);

export const drifts: fc.Arbitrary<readonly Drift[]> = fc.array(
  fc.oneof(
    { arbitrary: files, weight: 5 },
    { arbitrary: units, weight: 4 },
    { arbitrary: packages, weight: 1 },
    { arbitrary: hindrances, weight: 1 },
  ),
  { minLength: 1, maxLength: 6 },
);
