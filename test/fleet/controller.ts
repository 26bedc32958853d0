import { sshTransport } from "../../src/adapters/ssh/transport.ts";
import type { NodeTarget } from "../../src/model/node.ts";
import type { ChangeRequest } from "../../src/model/node-effect.ts";

/** One change from a process of its own, so that a test can kill the controller. Its order comes as JSON in argv. */
export interface ControllerOrder {
  readonly knownHostsFile: string;
  readonly keyFile: string;
  readonly target: NodeTarget;
  readonly request: ChangeRequest;
}

const order = JSON.parse(process.argv[2] ?? "") as ControllerOrder;
const transport = await sshTransport({
  knownHostsFile: order.knownHostsFile,
  environment: { ROLLCALL_SSH_KEY_FILE: order.keyFile },
});
const result = await transport.change(order.target, order.request, () => {});
await transport.close();
process.stdout.write(`${result.kind}\n`);
