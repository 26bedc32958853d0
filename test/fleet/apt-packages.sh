# shellcheck shell=bash disable=SC2154
# The packages a node can install, as data: `package` opens one, the lines after it fill it. The words are defined in
# apt-repository.sh, which also provides $native and $foreign (architectures); maintainer scripts get `#!/bin/sh` and `set -e` in front.

# --- a real service: nothing of it runs before somebody starts it; /etc/gyrum belongs to the fleet, not to the package
package gyrum-prober 1.0
file /usr/bin/gyrum-prober 755 <<'SH'
#!/bin/sh
# Tells the time of its last look, as a probe would tell its endpoint.
trap 'exit 0' TERM
while :; do
  date +%s >/run/gyrum-prober.last
  sleep 5 & wait $!
done
SH
file /lib/systemd/system/gyrum-prober.service <<'UNIT'
[Unit]
Description=Gyrum prober

[Service]
Type=simple
ExecStart=/usr/bin/gyrum-prober
Restart=on-failure

[Install]
WantedBy=multi-user.target
UNIT
script postinst <<'SH'
getent group gyrum >/dev/null || groupadd --system gyrum
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
SH

# --- versions that sort other than as text: 1.2 < 1.10 < 2:0.9~rc1
for version in 1.2 1.10 2:0.9~rc1; do
  package demo-tool "$version"
  file /usr/bin/demo-tool 755 <<SH
#!/bin/sh
echo 'demo-tool $version'
SH
done

package demo-depends 1.0
field Depends 'demo-tool (>= 1.10)'

# --- a conffile that differs between the versions: edited on the node, the upgrade asks
for version in 1.0 2.0; do
  package demo-conf "$version"
  conffile /etc/demo-conf.conf <<CONF
# demo-conf $version
level = ${version%.*}
CONF
done

# --- unhappy installs
package demo-broken 1.0 # ends half-configured
script postinst <<'SH'
echo 'demo-broken: cannot be configured' >&2
exit 1
SH

package demo-slow 1.0 # waits until told, so that a test can kill in the middle
script postinst <<'SH'
if [ "$1" = configure ]; then
  until [ -e /run/demo-slow-go ]; do sleep 0.1; done
fi
SH

package demo-asks 1.0 # reads an answer; at end of input it takes the default
script postinst <<'SH'
if [ "$1" = configure ]; then
  printf 'demo-asks: which colour? '
  read -r colour || colour=default
  mkdir -p /var/lib/demo-asks
  echo "$colour" >/var/lib/demo-asks/colour
fi
SH
script postrm <<'SH'
if [ "$1" = purge ]; then rm -rf /var/lib/demo-asks; fi
SH

package demo-noninteractive 1.0 # can be configured without a dialogue only when told so
script postinst <<'SH'
if [ "$DEBIAN_FRONTEND" != noninteractive ]; then
  echo "demo-noninteractive: cannot open a dialogue (DEBIAN_FRONTEND=$DEBIAN_FRONTEND)" >&2
  exit 1
fi
SH

# --- names that are no installed package of that name
package demo-mta-a 1.0
field Provides demo-mta

for arch in "$native" "$foreign"; do
  package demo-arch 1.0 "$arch"
  field Multi-Arch same
  file "/usr/lib/demo-arch/$arch" <<TEXT
built for $arch
TEXT
done

# --- services with a shape
package demo-web 1.0 # does not start before its environment file is there
field Depends busybox
file /usr/bin/demo-web 755 <<'SH'
#!/bin/sh
# Serves GREETING on PORT; reads both once, so that a changed file needs a restart.
mkdir -p /run/demo-web
echo "${GREETING-hello}" >/run/demo-web/index.html
exec busybox httpd -f -p "${PORT-8080}" -h /run/demo-web
SH
file /lib/systemd/system/demo-web.service <<'UNIT'
[Unit]
Description=Demo web server

[Service]
EnvironmentFile=/etc/demo-web/env
ExecStart=/usr/bin/demo-web

[Install]
WantedBy=multi-user.target
UNIT
script postinst <<'SH'
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
SH

package demo-socket 1.0 # `is-enabled demo-socket.service` says indirect, with exit 0
file /lib/systemd/system/demo-socket.service <<'UNIT'
[Unit]
Description=Demo service behind a socket

[Service]
ExecStart=/bin/sleep infinity

[Install]
Also=demo-socket.socket
UNIT
file /lib/systemd/system/demo-socket.socket <<'UNIT'
[Unit]
Description=Demo socket

[Socket]
ListenStream=/run/demo-socket.sock

[Install]
WantedBy=sockets.target
UNIT
script postinst <<'SH'
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
SH
