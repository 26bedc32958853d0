import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NodeFacts } from "../../src/model/node-facts.ts";
import { EXAMPLE_INSTALLED, EXAMPLE_PACKAGES } from "./example-packages.ts";
import { declaredNodes } from "./fleet-repository.ts";
import { itemsOf, outcomes, startTrial, type Trial } from "./trial.ts";

const example = fileURLToPath(new URL("../../", import.meta.url));
const names = declaredNodes(example);
const everywhere = (outcome: string) => Object.fromEntries(names.map((name) => [name, outcome]));

/** The example fleet of this repository from the first look to healed: the story of `npm start`, with all its facts. */
describe("the example fleet", () => {
  let trial: Trial;

  beforeAll(async () => {
    trial = await startTrial(
      example,
      names.map((name) => ({ name, repository: EXAMPLE_PACKAGES, installed: EXAMPLE_INSTALLED[name] ?? [] })),
    );
  }, 60_000);
  afterAll(() => trial.close());

  it("lacks nearly everything at first", async () => {
    const result = await trial.check();
    expect(outcomes(result)).toEqual(everywhere("drift"));
    expect(itemsOf(result, "db-01")).toContain("install package:gyrum-prober");
    expect(itemsOf(result, "db-02")).toContain("remove package:telnetd");
    expect(itemsOf(result, "db-02")).not.toContain("install package:chrony");
    expect(itemsOf(result, "web-02").length).toBeGreaterThan(20);
  });

  it("is not changed by a check", async () => {
    const before = names.map((name) => trial.fleet.node(name).machine.node.files.entries());
    await trial.check();
    expect(names.map((name) => trial.fleet.node(name).machine.node.files.entries())).toEqual(before);
  });

  it("converges in one apply, told of step by step", async () => {
    const result = await trial.apply();
    expect(outcomes(result)).toEqual(everywhere("converged"));
    const steps = trial.progress.flatMap((event) =>
      event.kind === "acting" && event.node === "web-01" ? [event] : [],
    );
    expect(steps.map(({ step }) => step)).toEqual(itemsOf(result, "web-01").map((_item, index) => index + 1));
  });

  it("is as declared then, and a second apply does nothing", async () => {
    expect(outcomes(await trial.check())).toEqual(everywhere("converged"));
    expect(outcomes(await trial.apply())).toEqual(everywhere("converged"));
    expect(trial.progress.filter(({ kind }) => kind === "acting")).toEqual([]);
  });

  it.each(names)("answers over SSH what the model behind %s knows", async (name) => {
    const { answered, model } = await trial.observe(name);
    expect(answered.kind).toBe("observed");
    if (answered.kind === "observed") expect(comparable(answered.facts)).toEqual(comparable(model));
  });

  it("shows what somebody did by hand, and heals that alone", async () => {
    const { shell } = trial.fleet.node("web-01");
    await shell("systemctl stop caddy.service && rm /etc/caddy/sites/www.caddy && chown deploy /etc/gyrum");
    await shell("apt-get remove -y logrotate && systemctl disable gyrum-prober.service");
    const found = [
      "chown directory:/etc/gyrum",
      "enable systemd_unit:gyrum-prober.service",
      "write file:/etc/caddy/sites/www.caddy",
      "start+reload systemd_unit:caddy.service",
      "install package:logrotate",
    ];
    const check = await trial.check();
    expect(itemsOf(check, "web-01")).toEqual(found);
    expect(outcomes(check)).toEqual({ ...everywhere("converged"), "web-01": "drift" });
    expect(outcomes(await trial.apply("web-01"))).toEqual({ "web-01": "converged" });
    expect(outcomes(await trial.check())).toEqual(everywhere("converged"));
  });

  it("is checked as far as it can be reached", async () => {
    const node = trial.fleet.node("db-01");
    await node.unplug();
    expect(outcomes(await trial.check())).toEqual({ ...everywhere("converged"), "db-01": "unreachable" });
    await node.plugIn();
    expect(outcomes(await trial.check())).toEqual(everywhere("converged"));
  });
});

/** Without what the one side does not model: sizes of directories, numbers of accounts, and time. */
function comparable(facts: NodeFacts) {
  const paths = [...facts.paths].map(([path, { found }]) => {
    if (found === null) return [path, null];
    const { uid: _uid, gid: _gid, size, ...rest } = found;
    return [path, { ...rest, size: found.type === "directory" ? null : size }];
  });
  const units = [...facts.units].map(([key, unit]) => [key, { ...unit, activeForMs: unit.activeForMs !== null }]);
  return { identity: facts.identity, packages: facts.packages, paths, units };
}
