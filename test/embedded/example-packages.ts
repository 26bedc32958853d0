import {
  type PackageFile,
  type RepositoryPackage,
  repositoryPackage,
} from "../../src/adapters/memory/package-repository.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";

/** What apt offers to the nodes of the example fleet: as much of the real packages as the roles there can see. */
export const EXAMPLE_PACKAGES: readonly RepositoryPackage[] = [
  repositoryPackage({
    name: "chrony",
    version: "4.3-2+deb12u1",
    architecture: "amd64",
    provides: ["time-daemon"],
    users: ["_chrony"],
    groups: ["_chrony"],
    starts: ["chrony.service"],
    files: [
      program("/usr/sbin/chronyd"),
      conffile("/etc/chrony/chrony.conf", "pool 2.debian.pool.ntp.org iburst\nconfdir /etc/chrony/conf.d\n"),
      conffile("/etc/chrony/conf.d/README", "Files that end in .conf are read by chronyd.\n"),
      unit("chrony.service", "Type=forking\nExecStart=/usr/sbin/chronyd\n"),
    ],
  }),
  repositoryPackage({
    name: "gyrum-prober",
    version: "1.0",
    groups: ["gyrum"],
    files: [
      program("/usr/bin/gyrum-prober"),
      unit("gyrum-prober.service", "ExecStart=/usr/bin/gyrum-prober\nRestart=on-failure\n"),
    ],
  }),
  repositoryPackage({
    name: "caddy",
    version: "2.6.2-5",
    architecture: "amd64",
    users: ["caddy"],
    groups: ["caddy"],
    starts: ["caddy.service"],
    files: [
      program("/usr/bin/caddy"),
      conffile("/etc/caddy/Caddyfile", ":80 {\n\troot * /usr/share/caddy\n\tfile_server\n}\n"),
      unit(
        "caddy.service",
        "Type=notify\nUser=caddy\nExecStart=/usr/bin/caddy run --config /etc/caddy/Caddyfile\nExecReload=/usr/bin/caddy reload --config /etc/caddy/Caddyfile\n",
      ),
    ],
  }),
  repositoryPackage({
    name: "logrotate",
    version: "3.21.0-1",
    architecture: "amd64",
    files: [
      program("/usr/sbin/logrotate"),
      conffile("/etc/logrotate.conf", "weekly\nrotate 4\ninclude /etc/logrotate.d\n"),
      conffile("/etc/logrotate.d/wtmp", "/var/log/wtmp {\n    monthly\n    rotate 1\n}\n"),
    ],
  }),
  repositoryPackage({
    name: "apache2",
    version: "2.4.62-1~deb12u1",
    architecture: "amd64",
    provides: ["httpd"],
    starts: ["apache2.service"],
    files: [
      program("/usr/sbin/apache2"),
      unit("apache2.service", "Type=forking\nExecStart=/usr/sbin/apache2 -k start\n"),
    ],
  }),
  repositoryPackage({ name: "telnetd", version: "0.17+2.4-2+deb12u1", files: [program("/usr/sbin/telnetd")] }),
];

/** What some nodes of the example fleet already have when rollcall first sees them. */
export const EXAMPLE_INSTALLED: Readonly<Record<string, readonly string[]>> = {
  "db-02": ["chrony", "telnetd"],
  "web-02": ["apache2"],
};

function program(path: string): PackageFile {
  return { path, mode: "0755", conffile: false, content: textContent("(simulated)\n") };
}

function conffile(path: string, text: string): PackageFile {
  return { path, mode: "0644", conffile: true, content: textContent(text) };
}

function unit(name: string, service: string): PackageFile {
  const text = `[Unit]\nDescription=${name}\n\n[Service]\n${service}\n[Install]\nWantedBy=multi-user.target\n`;
  return { path: `/lib/systemd/system/${name}`, mode: "0644", conffile: false, content: textContent(text) };
}
